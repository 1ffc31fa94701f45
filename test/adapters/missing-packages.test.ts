// What a user sees who asks for Claude in a cloud and has not installed its client.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../support/environment.ts';

const ASK = `
const [module, create] = process.argv.slice(2);
const adapters = await import(\`./src/adapters/\${module}.ts\`);
const adapter = adapters[create]({ region: 'some-region', apiKey: 'some-key', resource: 'some' });
const request = { model: 'm', instructions: '', tools: [], messages: [], maxOutputTokens: 1 };
try {
  for await (const _ of adapter.stream(request, new AbortController().signal));
} catch ({ kind, retryable, message }) {
  console.log(JSON.stringify({ kind, retryable, message }));
}
`;

let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'pawl-bare-'));
  for (const folder of ['adapters', 'protocol']) {
    cpSync(join(ROOT, 'src', folder), join(project, 'src', folder), { recursive: true });
  }
  mkdirSync(join(project, 'node_modules', '@anthropic-ai'), { recursive: true });
  symlinkSync(
    join(ROOT, 'node_modules', '@anthropic-ai', 'sdk'),
    join(project, 'node_modules', '@anthropic-ai', 'sdk'),
  );
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'ask.mjs'), ASK);
});

afterAll(() => rmSync(project, { recursive: true }));

test.each([
  ['anthropic-bedrock', 'createBedrockAdapter', '@anthropic-ai/bedrock-sdk@1.1.3'],
  ['anthropic-vertex', 'createVertexAdapter', '@anthropic-ai/vertex-sdk@1.1.3'],
  ['anthropic-foundry', 'createFoundryAdapter', '@anthropic-ai/foundry-sdk@1.1.1'],
])('%s without its package says what to type', async (module, create, installed) => {
  const tsx = import.meta.resolve('tsx');
  const asking = ['--import', tsx, 'ask.mjs', module, create];
  const { stdout } = await promisify(execFile)(process.execPath, asking, { cwd: project });
  const name = installed.replace(/@[^@]+$/, '');
  expect(JSON.parse(stdout)).toEqual({
    kind: 'not_found',
    retryable: false,
    message: `The package ${name} is not installed. Type: npm install ${installed}`,
  });
});
