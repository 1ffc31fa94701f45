// What is wrong with a command line is told before anything is started or asked.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { type Finished, pawl } from '../cli/pawl.ts';
import { isolatedEnvironment } from '../support/environment.ts';
import { expectDocumented } from './documented.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-typed-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Nothing answers there: a command that asked a server would say so. */
function typed(...args: string[]): Promise<Finished> {
  return pawl(isolatedEnvironment({ TEMPORAL_ADDRESS: '127.0.0.1:1', PAWL_HOME: join(folder, 'home') }), ...args);
}

function going(name: string, text: string): Promise<Finished> {
  writeFileSync(join(folder, name), text);
  return typed('run', '--messages', join(folder, name), 'Go on.');
}

it('an unknown command', async () => expectDocumented('an unknown command', await typed('rnu', 'Hi')));
it('an unknown option', async () => expectDocumented('an unknown option', await typed('run', '--agnet', 'x', 'Hi')));
it('a limit of 0 iterations', async () =>
  expectDocumented('a limit of 0 iterations', await typed('run', '--max-iterations', '0', 'Hi')));
it('an empty question', async () => {
  expectDocumented('an empty question', await typed('run', ''));
  expectDocumented('an empty question', await typed('run'));
});
it('an empty message', async () => expectDocumented('an empty message', await typed('send', 'some-run', ' ')));
it('a malformed cursor', async () =>
  expectDocumented('a malformed cursor', await typed('attach', 'some-run', '--after', '1.x')));

it('a conversation file that is missing', async () =>
  expectDocumented('a conversation file that is missing', await typed('run', '--messages', join(folder, 'none.json'))));
it('a conversation file that is no JSON', async () =>
  expectDocumented('a conversation file that is no JSON', await going('broken.json', '[{\n"role": nobody\n}]\n')));
it('a conversation file without a list', async () =>
  expectDocumented('a conversation file without a list', await going('object.json', '{}')));
it('a conversation that breaks the rules', async () => {
  const text = { type: 'text', text: 'Hi' };
  const messages = [
    { role: 'user', content: [text] },
    { role: 'assistant', content: [{ type: 'call', callId: 'c1', name: 'look', input: {} }] },
    { role: 'user', content: [text] },
    { role: 'nobody', content: [] },
  ];
  expectDocumented('a conversation that breaks the rules', await going('rules.json', JSON.stringify(messages)));
});
