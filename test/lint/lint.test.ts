// The rules of the linter that carry the architecture still fire; an upgrade could silence them.

import { beforeAll, describe, expect, test } from 'vitest';
import { lint } from './linter.ts';

/** What each folder may not import, and what it may. */
const DIRECTIONS: Readonly<
  Record<string, { readonly refused: readonly string[]; readonly allowed: readonly string[] }>
> = {
  protocol: {
    refused: ['../workflows/loop.ts', '../config.ts', '@temporalio/common', 'zod', 'node:fs'],
    allowed: ['./json.ts'],
  },
  workflows: {
    refused: [
      '../activities/index.ts',
      '../adapters/anthropic.ts',
      '../tools/tool.ts',
      '@temporalio/client',
      '@temporalio/worker',
      '@anthropic-ai/sdk',
      'zod',
      'node:fs',
    ],
    allowed: ['./loop.ts', '../protocol/run.ts', '@temporalio/workflow', '@temporalio/common'],
  },
  adapters: {
    refused: ['@temporalio/common', '../activities/failure.ts', '../workflows/loop.ts', '../client/errors.ts'],
    allowed: ['../protocol/json.ts', './classify.ts', '@anthropic-ai/sdk', 'node:crypto'],
  },
  tools: {
    refused: ['@temporalio/activity', '../activities/index.ts', '../cli/main.ts', '../temporal/cli.ts'],
    allowed: ['../protocol/json.ts', './tool.ts', 'zod'],
  },
  agents: {
    refused: ['@temporalio/workflow', '../activities/index.ts', '../../test/support/harness.ts'],
    allowed: ['../protocol/json.ts', '../tools/tool.ts', './agent.ts'],
  },
  activities: {
    refused: ['../workflows/loop.ts', '../client/errors.ts', '../cli/main.ts', '../temporal/cli.ts', '../config.ts'],
    allowed: ['../protocol/json.ts', '../adapters/by-name.ts', '../tools/tool.ts', '../agents/agent.ts'],
  },
  client: {
    refused: ['../activities/hooks.ts', '../workflows/loop.ts', '../tools/tool.ts', '../cli/main.ts'],
    allowed: ['../protocol/json.ts', './errors.ts', '@temporalio/client'],
  },
  cli: {
    refused: ['../activities/hooks.ts', '../workflows/loop.ts', '../adapters/demo.ts', '../../test/support/server.ts'],
    allowed: ['../protocol/json.ts', '../client/errors.ts', './cli.ts', 'commander'],
  },
};

const IMPORT_RULE = 'lint/style/noRestrictedImports';
const PROMISE_RULE = 'lint/nursery/noFloatingPromises';

function importing(specifier: string): string {
  return `import * as planted from '${specifier}';\nexport const kept = planted;\n`;
}

const cases = Object.entries(DIRECTIONS).flatMap(([folder, { refused, allowed }]) => [
  ...refused.map((specifier) => ({ folder, specifier, rules: [IMPORT_RULE] })),
  ...allowed.map((specifier) => ({ folder, specifier, rules: [] as string[] })),
]);

function pathOf({ folder, specifier }: { readonly folder: string; readonly specifier: string }): string {
  return `src/${folder}/planted-${specifier.replaceAll(/[^a-z]+/g, '-')}.ts`;
}

const PROMISES = {
  'src/workflows/planted-floating.ts': 'async function work() {}\nexport function go() {\n  work();\n}\n',
  'src/workflows/planted-awaited.ts': 'async function work() {}\nexport async function go() {\n  await work();\n}\n',
};

let found: Map<string, string[]>;

beforeAll(() => {
  found = lint({
    ...PROMISES,
    ...Object.fromEntries(cases.map((each) => [pathOf(each), importing(each.specifier)])),
    'src/workflows/planted-type.ts': "import type { Tool } from '../tools/tool.ts';\nexport type Kept = Tool;\n",
  });
});

describe('the direction of imports', () => {
  test.each(cases)('$folder with $specifier: $rules', (each) => {
    expect(found.get(pathOf(each))).toEqual(each.rules);
  });

  test('workflows may not even import types from elsewhere', () => {
    expect(found.get('src/workflows/planted-type.ts')).toEqual([IMPORT_RULE]);
  });
});

describe('promises', () => {
  test('that nobody waits for are refused', () => {
    expect(found.get('src/workflows/planted-floating.ts')).toEqual([PROMISE_RULE]);
  });

  test('that are awaited are not', () => {
    expect(found.get('src/workflows/planted-awaited.ts')).toEqual([]);
  });
});
