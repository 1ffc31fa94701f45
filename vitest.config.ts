import { defineConfig } from 'vitest/config';
import { BaseSequencer, type ProjectConfig, type TestSpecification } from 'vitest/node';

/** Files that wait longest for outages and time-outs. Begun first, they wait while the others work. */
const LONGEST = ['errors/outage', 'crash/kills', 'errors/server', 'cli/cli', 'errors/runs', 'faults/outage'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.includes(`/test/${name}.`));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/** Tests on a real Temporal server. Most of them wait for servers and time-outs, not for a core. */
const ON_A_SERVER: ProjectConfig = {
  globalSetup: ['test/global-setup.ts'],
  pool: 'forks',
  maxWorkers: 5,
  // Loading the SDKs anew for each file would cost more than many of the files.
  isolate: false,
  // A shared CI machine may stall for longer than a lease or a heartbeat bears. What fails twice is a fault.
  retry: process.env['CI'] ? 1 : 0,
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

/** What is killed and taken away under running workers takes minutes; tests of one of each kind are among the others. */
const FAULTS = ['test/faults/**/*.test.ts', 'test/crash/kills.test.ts'];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
          pool: 'threads',
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...ON_A_SERVER,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: FAULTS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { ...ON_A_SERVER, name: 'faults', include: FAULTS, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
