import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What each process that is started with this folder in NODE_V8_COVERAGE writes at its end. */
interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** The packages of which a process has loaded code: all processes and threads that have written to this folder. */
export function loadedPackages(coverageFolder: string): ReadonlySet<string> {
  const files = readdirSync(coverageFolder).map((file) => readFileSync(join(coverageFolder, file), 'utf8'));
  const urls = files.flatMap((text) => (JSON.parse(text) as Coverage).result.map(({ url }) => url));
  return new Set(urls.flatMap((url) => packageOf(url) ?? []));
}

/** The innermost package that a script belongs to. */
function packageOf(url: string): string | undefined {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
}
