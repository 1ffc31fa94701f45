import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

const good = {
  id: 'GOOD',
  provider: 'anthropic',
  strict_api: true,
  input: [{ user: 'say hello' }],
  model_responses: [
    {
      type: 'message',
      role: 'assistant',
      model: 'claude-fake-1',
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ],
  tools: [],
  expect: { outcome: 'completed', final_text: 'Hello.', model_calls: 1 },
};

const cases = {
  fits: good,
  hopes: { ...good, expect: { ...good.expect, final_text: 'Goodbye.' } },
  muses: { ...good, expect: { ...good.expect, mood: 'good' } },
  needs: { ...good, mcp_servers: [] },
  waits: { ...good, events: [{ on: 'tool_started', tool: 'never', do: 'cancel_run' }] },
};

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-case-files-'));
  const written = Object.entries(cases).map(([name, file]) =>
    writeFile(join(folder, `${name}.json`), JSON.stringify(file)),
  );
  await Promise.all(written);
});

afterAll(() => rm(folder, { recursive: true }));

function runMain(...args: string[]): Promise<{ code: number; lines: string[] }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', MAIN, ...args], (error, stdout) => {
      resolve({ code: Number(error?.code ?? 0), lines: stdout.trim().split('\n') });
    });
  });
}

it('says what is wrong with each case, counts them, and fails when one does', async () => {
  const { code, lines } = await runMain(folder);
  expect(code).toBe(1);
  expect(lines.at(-1)).toBe('1 passed, 3 failed, 1 skipped');
  expect(lines.slice(0, -1).sort()).toEqual([
    expect.stringContaining('FAIL hopes: final text: "Hello.", expected "Goodbye."'),
    expect.stringContaining('FAIL muses: unknown word in expect: mood'),
    expect.stringContaining('FAIL waits: the event never came: tool_started never (1)'),
    expect.stringMatching(/^ok fits \(/),
    'skip needs: the product has no MCP servers',
  ]);
});

it('runs only the cases that are named, and passes when they do', async () => {
  const { code, lines } = await runMain(folder, '--only', 'fits');
  expect(code).toBe(0);
  expect(lines).toEqual([expect.stringMatching(/^ok fits \(/), '1 passed, 0 failed, 0 skipped']);
});
