import { expect, test } from 'vitest';
import { fakeTerminal } from '../../test/cli/fake-terminal.ts';
import { type Commands, runProgram } from './program.ts';

const faults: readonly (readonly [name: string, args: readonly string[], message: RegExp])[] = [
  ['no command', [], /Usage: pawl/],
  ['an unknown command', ['atach', 'run-1'], /unknown command 'atach'\n\(Did you mean attach\?\)/],
  ['an unknown option', ['run', '--jsn', 'Hi'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
  [
    'a limit that is no number',
    ['run', '--max-iterations', 'ten', 'Hi'],
    /--max-iterations <n>' argument 'ten' is invalid. It must be a whole number/,
  ],
  ['a limit of zero', ['run', '--max-iterations', '0', 'Hi'], /argument '0' is invalid/],
  ['an option without its value', ['run', 'Hi', '--id'], /option '--id <run>' argument missing/],
  ['an empty id', ['run', '--id', '', 'Hi'], /--id <run>' argument '' is invalid. It must not be empty/],
  ['a recording without a file', ['record', 'Hi'], /required option '--out <file>' not specified/],
  ['a recording without a question', ['record', '--out', 'f'], /The question is empty/],
  ['a run without a question', ['run'], /Usage: pawl run \[options\] \[question\.\.\.\]/],
  [
    'a question of nothing but spaces',
    ['run', ' '],
    /^The question is empty\. Say what the agent is asked\.\n\n?Usage: pawl run/,
  ],
  ['attach without a run', ['attach'], /missing required argument 'run'/],
  [
    'a cursor that is none',
    ['attach', 'r', '--after', '7'],
    /--after <cursor>' argument '7' is invalid. It must be the cursor/,
  ],
  [
    'two formats at once',
    ['show', 'r', '--json', '--messages'],
    /option '--json' cannot be used with option '--messages'/,
  ],
  ['send without a text', ['send', 'r'], /missing required argument 'text'/],
  ['a second run to cancel', ['cancel', 'r', 's'], /too many arguments/],
  [
    'an unknown status',
    ['list', '--status', 'done'],
    /argument 'done' is invalid. Allowed choices are running, completed/,
  ],
];

for (const [name, args, message] of faults) {
  test(`${name} exits with 2, with a message on stderr, and nothing is done`, async () => {
    const { terminal, stdout, stderr } = fakeTerminal();
    const called: unknown[] = [];
    expect(await runProgram(args, recorder(called), terminal, 'pawl')).toBe(2);
    expect(stderr.join('\n')).toMatch(message);
    expect(stdout).toEqual([]);
    expect(called).toEqual([]);
  });
}

test('the help goes to stdout and exits with 0', async () => {
  const { terminal, stdout, stderr } = fakeTerminal();
  expect(await runProgram(['--help'], recorder([]), terminal, 'pawl')).toBe(0);
  expect(await runProgram(['run', '--help'], recorder([]), terminal, 'pawl')).toBe(0);
  expect(stdout.join('\n')).toContain('Usage: pawl [options] [command]');
  expect(stdout.join('\n')).toContain('--max-iterations <n>');
  expect(stderr).toEqual([]);
});

test('the arguments of each command reach it, and its exit code comes back', async () => {
  const called: unknown[] = [];
  const { terminal } = fakeTerminal();
  const lines = [
    ['run', '--agent', 'a', '--max-iterations', '3', '--id', 'i', '--chat', '--json', '--detach', 'What', 'time?'],
    ['run', '--messages', 'talk.json'],
    ['run', '--', '-5', 'plus', '3?'],
    ['record', '--out', 'calls.jsonl', '--chat', 'What', 'time?'],
    ['attach', 'r', '--after', '1.12.80', '--json'],
    ['show', 'r', '--messages'],
    ['send', 'r', 'and', 'then?'],
    ['close', 'r'],
    ['cancel', 'r'],
    ['list', '--status', 'running'],
    ['worker'],
    ['dev'],
    ['down'],
  ];
  for (const args of lines) expect(await runProgram(args, recorder(called), terminal, 'pawl')).toBe(6);
  expect(called).toEqual([
    ['run', ['What', 'time?'], { agent: 'a', maxIterations: 3, id: 'i', chat: true, json: true, detach: true }],
    ['run', [], { agent: 'demo', messages: 'talk.json' }],
    ['run', ['-5', 'plus', '3?'], { agent: 'demo' }],
    ['record', ['What', 'time?'], { agent: 'demo', out: 'calls.jsonl', chat: true }],
    ['attach', 'r', { after: '1.12.80', json: true }],
    ['show', 'r', { messages: true }],
    ['send', 'r', ['and', 'then?']],
    ['close', 'r'],
    ['cancel', 'r'],
    ['list', { status: 'running' }],
    ['worker'],
    ['dev'],
    ['down'],
  ]);
});

test('what a command throws passes through', async () => {
  const commands = { ...recorder([]), down: () => Promise.reject(new Error('boom')) };
  await expect(runProgram(['down'], commands, fakeTerminal().terminal, 'pawl')).rejects.toThrow('boom');
});

function recorder(called: unknown[]): Commands {
  const names = [
    'run',
    'record',
    'attach',
    'show',
    'send',
    'close',
    'cancel',
    'list',
    'worker',
    'dev',
    'down',
  ] as const;
  const entries = names.map((name) => [
    name,
    async (...args: unknown[]) => {
      called.push([name, ...args]);
      return 6;
    },
  ]);
  return Object.fromEntries(entries);
}
