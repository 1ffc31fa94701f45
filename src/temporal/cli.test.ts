import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CliMissing, findCli } from './cli.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pawl-cli-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function fakeCli(path: string, version: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho "temporal version ${version} (Server 1.32.0, UI 2.54.1)"\n`);
  chmodSync(path, 0o755);
  return path;
}

const find = (temporalCli?: string) => findCli({ home, temporalCli, download: false }, () => undefined);

it('takes the one that PAWL_TEMPORAL_CLI names', async () => {
  const path = fakeCli(join(home, 'my-temporal'), '1.9.1');
  expect(await find(path)).toBe(path);
});

it.each(['1.4.9', '0.12.0'])(
  'refuses version %s, which is too old, and looks no further where it was named',
  async (version) => {
    const path = fakeCli(join(home, 'my-temporal'), version);
    fakeCli(join(home, 'bin', 'temporal'), '1.9.1');
    await expect(find(path)).rejects.toThrow(
      `found none: PAWL_TEMPORAL_CLI ${path}: is version ${version}; needed is 1.5 or newer`,
    );
  },
);

it.each([
  ['answers nonsense', 'echo hello', 'is no temporal CLI'],
  ['fails', 'exit 3', 'ends with exit code 3'],
])('refuses one that %s, in one line', async (_, script, seen) => {
  const path = join(home, 'my-temporal');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  await expect(find(path)).rejects.toThrow(`found none: PAWL_TEMPORAL_CLI ${path}: ${seen}`);
});

it('says all that was tried and how to install one', async () => {
  const missing = find(join(home, 'nowhere'));
  await expect(missing).rejects.toThrow(CliMissing);
  await expect(missing).rejects.toThrow(
    /PAWL_TEMPORAL_CLI \S+nowhere: no temporal there[\s\S]*brew install temporal[\s\S]*TEMPORAL_ADDRESS/,
  );
});
