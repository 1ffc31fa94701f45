import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pawl } from '../cli/pawl.ts';
import { isolatedEnvironment } from '../support/environment.ts';
import { testTemporal } from '../support/server.ts';
import { expectDocumented } from './documented.ts';
import { copyProject } from './project.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const ask = (own: Record<string, string>) =>
  pawl(isolatedEnvironment({ PAWL_HOME: join(folder, 'home'), ...own }), 'run', 'Hi');

function script(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

it('an unknown variable', async () => expectDocumented('an unknown variable', await ask({ PAWL_HOEM: 'x' })));
it('a value that is not allowed', async () =>
  expectDocumented('a value that is not allowed', await ask({ PAWL_LOG: 'loud' })));
it('several problems at once', async () => {
  const ended = await ask({ PAWL_LOG: 'loud', PAWL_STORAGE: 'cloud' });
  expectDocumented('several problems at once', ended);
  expect(ended.stderr).toMatch(/\n {2}PAWL_STORAGE: "cloud"; .*\n {2}PAWL_LOG: "loud"; /);
});

it('a broken .env', async () => {
  const project = copyProject();
  try {
    project.write('.env', '# mine\nsk-ant-secret 123\nPAWL_LOG=info\n');
    const ended = await project.start(isolatedEnvironment({ PAWL_HOME: join(folder, 'home') }), 'run', 'Hi').finished;
    expectDocumented('a broken `.env`', ended);
    expect(ended.stderr).not.toContain('secret');
  } finally {
    project.remove();
  }
});

describe('a home', () => {
  it('that is a file, or below one', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expectDocumented('a home that is a file', await ask({ PAWL_HOME: file }));
    expectDocumented('a home below a file', await ask({ PAWL_HOME: join(file, 'home') }));
  });

  // Root may write to any folder whatever its mode, so only a mount is read-only for every user that runs this.
  it('that is read-only', async () => {
    const home = join(folder, 'read-only');
    mkdirSync(home);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,ro', 'none', home]);
    try {
      const PAWL_TEMPORAL_CLI = testTemporal().temporalCli;
      expectDocumented('a read-only home', await ask({ PAWL_HOME: home, PAWL_TEMPORAL_CLI }));
      const TEMPORAL_ADDRESS = testTemporal().address;
      const worker = await pawl(isolatedEnvironment({ PAWL_HOME: home, TEMPORAL_ADDRESS }), 'worker');
      expectDocumented('a read-only home', worker);
      expect((await pawl(isolatedEnvironment({ PAWL_HOME: home, TEMPORAL_ADDRESS }), 'list')).code).toBe(0);
    } finally {
      execFileSync('umount', ['--lazy', home]);
    }
  });
});

describe('a temporal CLI', () => {
  it('that is too old', async () => {
    const PAWL_TEMPORAL_CLI = script('old', 'echo temporal version 1.0.0');
    expectDocumented('a temporal CLI that is too old', await ask({ PAWL_TEMPORAL_CLI }));
  });

  it('that is broken', async () =>
    expectDocumented('a temporal CLI that is broken', await ask({ PAWL_TEMPORAL_CLI: script('broken', 'exit 3') })));

  it('that is nowhere, and may not be fetched', async () => {
    const ended = await ask({ PATH: folder, PAWL_DOWNLOAD: '0' });
    expectDocumented('no temporal CLI, and no download', ended);
    expect(ended.stderr).toMatch(/\n {2}- PATH: no temporal there\n {2}- download: forbidden by PAWL_DOWNLOAD=0\n/);
  });
});
