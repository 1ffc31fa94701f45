import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  InvalidRequest,
  NamespaceNotFound,
  RunBusy,
  RunClosed,
  RunExists,
  RunNotFound,
  ServerUnavailable,
  WorkerUnavailable,
} from '../client/errors.ts';
import { ConfigError } from '../config.ts';
import { WorkerNotStarted } from '../temporal/background-worker.ts';
import { CliMissing } from '../temporal/cli.ts';
import { ServerUnreachable } from '../temporal/connection.ts';
import { ServerNotStarted } from '../temporal/dev-server.ts';
import { explain } from './explain.ts';
import { UsageError } from './usage-error.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pawl-cli-'));
  await writeFile(join(root, 'package.json'), JSON.stringify({ bugs: { url: 'https://example.org/bugs' } }));
});
afterAll(() => rm(root, { recursive: true }));

test('what the user can mend is told in its own words, with the exit code for it', () => {
  const problem = { variable: 'PAWL_LOG', seen: '"loud"', allowed: 'debug, info' };
  const errors: readonly (readonly [Error, number])[] = [
    [new UsageError('--messages a.json: it is no JSON.'), 2],
    [new ConfigError([problem]), 2],
    [new InvalidRequest('limits.maxIterations: must be from 1'), 2],
    [new RunExists('r', 'running'), 2],
    [new NamespaceNotFound('n'), 2],
    [new RunNotFound('r'), 2],
    [new RunBusy('r', 'too many updates'), 5],
    [new RunClosed('r'), 2],
    [new ServerUnavailable('connection refused'), 5],
    [new ServerUnreachable({ address: '127.0.0.1:1', source: 'configured' }), 5],
    [new WorkerUnavailable('r', 100), 5],
    [new CliMissing(['no temporal on PATH']), 5],
    [new ServerNotStarted('exit code 1', ''), 5],
    [new WorkerNotStarted('agent "a" is not valid'), 5],
  ];
  for (const [error, code] of errors) {
    const explanation = explain(error, { pawl: 'pawl', root });
    expect(explanation.code).toBe(code);
    expect(explanation.text.startsWith(error.message)).toBe(true);
    expect(explanation.text).not.toContain('    at ');
  }
});

test('where one command helps it is given as it is typed', () => {
  const { text } = explain(new WorkerUnavailable('r', 100), { pawl: 'npm run -s pawl --', root });
  expect(text).toMatch(/\nType: npm run -s pawl -- worker$/);
});

test('anything else is a fault of Pawl: exit code 1, the stack with its causes, and where to report it', () => {
  const error = new TypeError('x is not a function', { cause: new Error('because\u001b[2J') });
  const { code, text } = explain(error, { pawl: 'pawl', root });
  expect(code).toBe(1);
  expect(text).toMatch(/TypeError: x is not a function\n {4}at /);
  expect(text).toContain('Caused by: Error: because␛[2J');
  expect(text).toContain('Please report it, with these lines: https://example.org/bugs');
  expect(explain('thrown text', { pawl: 'pawl', root }).code).toBe(1);
});

test('a full disk is named, with the file and the mend', () => {
  const error = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', path: '/home/x/.pawl/last-use.json' });
  expect(explain(error, { pawl: 'pawl', root })).toEqual({
    code: 5,
    text:
      '/home/x/.pawl/last-use.json cannot be written: no space is left on its disk (ENOSPC). ' +
      'Mend that, or set PAWL_HOME to another folder.',
  });
});
