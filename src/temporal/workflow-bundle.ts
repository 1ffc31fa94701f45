import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { hashOf } from './sources-hash.ts';

/** Folder of the project, seen from this file. */
const ROOT = join(import.meta.dirname, '..', '..');

/**
 * The workflow code, bundled for a worker. It is built once for each state of the sources and kept in `cacheDir`;
 * building takes some seconds, finding it some milliseconds.
 */
export async function workflowBundle(cacheDir: string): Promise<{ codePath: string }> {
  const codePath = join(cacheDir, `${bundleHash()}.js`);
  if (!existsSync(codePath)) await build(cacheDir, codePath);
  return { codePath };
}

function bundleHash(): string {
  const worker = createRequire(import.meta.url).resolve('@temporalio/worker/package.json');
  const { version } = JSON.parse(readFileSync(worker, 'utf8')) as { version: string };
  return `${version}-${hashOf(ROOT, ['src/workflows', 'src/protocol']).slice(0, 32)}`;
}

async function build(cacheDir: string, codePath: string): Promise<void> {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT, 'src', 'workflows', 'index.ts'),
    logger: new DefaultLogger('WARN'),
  });
  mkdirSync(cacheDir, { recursive: true, mode: 0o700 });
  const unfinished = `${codePath}.${randomUUID()}`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, codePath); // another process may build the same: the last one wins with equal bytes
}
