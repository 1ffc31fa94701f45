import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { homeFiles } from '../../src/temporal/home-files.ts';
import { isolatedEnvironment, ROOT } from '../support/environment.ts';
import { testTemporal } from '../support/server.ts';

it('the demo kills two workers, and its run asks the model only for what was cut off', async () => {
  const home = await mkdtemp(join(tmpdir(), 'pawl-demo-'));
  const { address, bundlePath } = testTemporal();
  const { bundles, leases } = homeFiles(home);
  try {
    await cp(bundlePath, join(bundles, basename(bundlePath))); // building it again would take seconds
    const env = isolatedEnvironment({ PAWL_HOME: home, TEMPORAL_ADDRESS: address });
    const script = join(ROOT, 'scripts', 'demo-kill.ts');
    // Rejects where the script does not end with 0.
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script], { env });
    expect(stdout.match(/gets SIGKILL/g)).toHaveLength(2);
    expect(stdout).toContain('Model requests: 4 made, 3 needed; 1 cut off by a kill and made again.');
    expect(stdout).toContain('asked for again: 0.');
    expect(stdout).toContain('3 starts for 2 calls');
    expect(stdout).toContain('Run completed');
    expect(await readdir(leases)).toEqual([]);
  } finally {
    await rm(home, { recursive: true });
  }
});
