import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFault } from '../temporal/write-fault.ts';
import type { Cli } from './cli.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { printable } from './printable.ts';

/** How an error ends a command. */
export interface Explanation {
  readonly code: ExitCode;
  readonly text: string;
}

interface Known {
  readonly code: ExitCode;
  /** Command that helps. */
  readonly type?: string;
  /** Where the error's own words don't help. */
  readonly message?: string;
}

const STORAGE_MISSING =
  'Payloads of this run are in external storage, which is not set up here. ' +
  'Set PAWL_STORAGE=disk, and PAWL_HOME to the folder that its worker uses.';

/**
 * The errors that a user can mend, with the command that helps, by name: to compare classes, a usage error would have
 * to load the whole client.
 */
const KNOWN: Readonly<Record<string, Known>> = {
  UsageError: { code: EXIT.usage },
  ConfigError: { code: EXIT.usage },
  InvalidRequest: { code: EXIT.usage },
  RunExists: { code: EXIT.usage },
  NamespaceNotFound: { code: EXIT.usage },
  RunNotFound: { code: EXIT.usage, type: 'list' },
  RunBusy: { code: EXIT.unavailable },
  RunClosed: { code: EXIT.usage, type: 'run --chat "…"' },
  ExternalStorageNotConfiguredError: { code: EXIT.usage, message: STORAGE_MISSING },
  PayloadMissing: { code: EXIT.usage },
  CliMissing: { code: EXIT.unavailable },
  ServerNotStarted: { code: EXIT.unavailable },
  WorkerNotStarted: { code: EXIT.unavailable },
  ServerUnreachable: { code: EXIT.unavailable },
  ServerUnavailable: { code: EXIT.unavailable },
  WorkerUnavailable: { code: EXIT.unavailable, type: 'worker' },
};

/** What is said about an error. One that is not known is a fault of Pawl: its stack is shown, and where to report it. */
export function explain(error: unknown, { pawl, root }: Pick<Cli, 'pawl' | 'root'>): Explanation {
  if (!(error instanceof Error)) return fault(String(error), root);
  const known = KNOWN[error.name];
  if (known === undefined) return explainWriteFault(error) ?? fault(withCauses(error), root);
  const hint = known.type === undefined ? '' : `\nType: ${pawl} ${known.type}`;
  return { code: known.code, text: `${printable(known.message ?? error.message)}${hint}` };
}

function explainWriteFault(error: Error): Explanation | undefined {
  const why = writeFault(error);
  if (why === undefined) return undefined;
  // A write to an open file fails without its path.
  const file = 'path' in error ? printable(String(error.path)) : 'A file in PAWL_HOME';
  const text = `${file} cannot be written: ${why}. Mend that, or set PAWL_HOME to another folder.`;
  return { code: EXIT.unavailable, text };
}

function fault(details: string, root: string): Explanation {
  const text = `${printable(details)}\n\nThis is a fault of Pawl. Please report it, with these lines: ${reportingPlace(root)}`;
  return { code: EXIT.bug, text };
}

function withCauses(error: Error): string {
  const own = error.stack ?? String(error);
  if (error.cause === undefined) return own;
  const cause = error.cause instanceof Error ? withCauses(error.cause) : String(error.cause);
  return `${own}\nCaused by: ${cause}`;
}

function reportingPlace(root: string): string {
  const manifest: { readonly bugs?: { readonly url?: string } } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return manifest.bugs?.url ?? join(root, 'README.md');
}
