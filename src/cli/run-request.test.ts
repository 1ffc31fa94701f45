import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runRequest } from './run-request.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-cli-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('the words of the question are one prompt, and what is not said is left to the agent', async () => {
  expect(await runRequest(['What', 'time?'], { agent: 'demo' })).toEqual({
    agent: 'demo',
    prompt: 'What time?',
    mode: 'task',
  });
});

test('options become overrides', async () => {
  const options = { agent: 'a', model: 'demo', maxIterations: 2, chat: true };
  const expected = { agent: 'a', prompt: 'Hi', model: 'demo', limits: { maxIterations: 2 }, mode: 'chat' };
  expect(await runRequest(['Hi'], options)).toEqual(expected);
});

test('a conversation is read from a file, and may end with the question', async () => {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
  const file = await given('talk.json', JSON.stringify(messages));
  expect(await runRequest([], { agent: 'demo', messages: file })).toEqual({ agent: 'demo', messages, mode: 'task' });
});

test('a file that holds no conversation is refused with its name and its first fault', async () => {
  const refused = (file: string) => runRequest(['Hi'], { agent: 'demo', messages: file });
  await expect(refused(join(folder, 'none.json'))).rejects.toThrow(/none\.json: there is no such file/);
  await expect(refused(folder)).rejects.toThrow(/it cannot be read \(EISDIR\)/);
  await expect(refused(await given('broken.json', '[{'))).rejects.toThrow(/broken\.json: it is no JSON: SyntaxError/);
  await expect(refused(await given('object.json', '{}'))).rejects.toThrow(/object\.json: it must be a JSON list/);
  const wrong = await given('wrong.json', '[{"role":"system","content":[]}]');
  await expect(refused(wrong)).rejects.toThrow(
    /wrong\.json: messages\[0\]: role must be user or assistant, not system/,
  );
});

async function given(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}
