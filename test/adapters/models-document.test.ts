// What docs/models.md says of files and code is there and runs.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/agent.ts';
import { playRun } from '../../src/testing/testing.ts';
import { ROOT } from '../support/environment.ts';
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

test('the adapter of one’s own stands in the document as it runs', async () => {
  const code = readFileSync(join(import.meta.dirname, 'examples', 'own-adapter.ts'), 'utf8');
  expect(DOCUMENT).toContain(`\`\`\`ts\n${code.replaceAll("'../../../src/", "'./src/")}\`\`\`\n`);
  const agent = defineAgent({ name: 'listener', instructions: '', model: 'parrot/grey' });
  const adapter = (await own['parrot']?.()) ?? expect.fail('there is no parrot');
  const { result } = await playRun({ agent, request: { prompt: 'Hello?' }, adapter });
  expect(result).toMatchObject({ status: 'completed', text: 'I have heard 1 messages.' });
});
