// What docs/models.md says of files and code is there and runs.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/agent.ts';
import { ROOT } from '../support/environment.ts';
import { eventOf } from '../support/harness.ts';
import { withRunWorker } from '../support/run-worker.ts';
import { quietRuntime } from '../support/runtime.ts';
import { testTemporal } from '../support/server.ts';
import { own } from './examples/own-adapter.ts';

const DOCUMENT = readFileSync(join(ROOT, 'docs', 'models.md'), 'utf8');

test('each file and each case that the document names is there, and the cases are ready', () => {
  const files = [...DOCUMENT.matchAll(/`((?:src|test|docs)\/[^`]+)`/g)].map(([, path]) => path ?? '');
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const ready = readFileSync(join(ROOT, 'test', 'cases', 'ready.txt'), 'utf8').split(/\s+/);
  const cases = [...DOCUMENT.matchAll(/\bcases? ((?:[a-z]\d\d(?:, )?)+)/g)].flatMap(
    ([, ids]) => ids?.split(', ') ?? [],
  );
  expect(cases.length).toBeGreaterThan(5);
  expect(cases.filter((id) => !ready.includes(id))).toEqual([]);
});

test('the adapter of one’s own stands in the document as it runs, on a server too', async () => {
  const code = readFileSync(join(import.meta.dirname, 'examples', 'own-adapter.ts'), 'utf8');
  expect(DOCUMENT).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
  quietRuntime();
  const agents = [defineAgent({ name: 'listener', instructions: '', model: 'parrot/grey' })];
  await withRunWorker({ ...testTemporal(), agents, adapters: own }, async ({ client }) => {
    const { run } = await client.start({ agent: 'listener', prompt: 'Hello?' });
    expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'I have heard 1 messages.' });
    expect(await eventOf(client, run, 'model_result')).toMatchObject({ model: 'grey', stopReason: 'end_turn' });
  });
});
