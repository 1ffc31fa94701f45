import { Client, Connection } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AgentClient, runUrl } from './agent-client.ts';
import { InvalidRequest, ServerUnavailable } from './errors.ts';
import { callServer } from './server-call.ts';

// Nothing listens there: whatever is refused was refused before it was sent.
const nowhere = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
const client = new AgentClient({ client: nowhere, taskQueue: 'none' });

describe('a request is refused before it is sent', () => {
  test.each([
    ['an empty prompt', { agent: 'demo', prompt: ' ' }, /prompt is empty/],
    ['no prompt', { agent: 'demo' }, /^prompt: say what/],
    ['no agent', { agent: '', prompt: 'hi' }, /^agent: /],
    [
      'a limit that is none',
      { agent: 'demo', prompt: 'hi', limits: { maxIterations: 0 } },
      /^limits\.maxIterations: .*not 0/,
    ],
    [
      'an output that is no schema of an object',
      { agent: 'demo', prompt: 'hi', output: { type: 'array' } },
      /^output: must be the JSON Schema of an object/,
    ],
    [
      'an output that has no JSON form',
      { agent: 'demo', prompt: 'hi', output: z.object({ at: z.date() }) },
      /^output: has no JSON Schema: Date cannot/,
    ],
    ['bad messages', { agent: 'demo', messages: [{ role: 'user', content: [] }] }, /^messages\[0\]: /],
    [
      'three megabytes',
      { agent: 'demo', prompt: 'x'.repeat(3_000_000) },
      /^request: has 30000\d\d bytes.*limit is 2080768.*storage/,
    ],
  ] as const)('for %s', async (_, request, message) => {
    const refused = client.start(request);
    await expect(refused).rejects.toThrow(InvalidRequest);
    await expect(refused).rejects.toThrow(message);
  });

  test('for an id that no run can have', async () => {
    const request = { agent: 'demo', prompt: 'hi' };
    await expect(client.start(request, { id: '' })).rejects.toThrow(/^id: must have 1 to 255 bytes, and has 0/);
    await expect(client.start(request, { id: 'é'.repeat(128) })).rejects.toThrow(/has 256/);
  });

  test('for a message that would hang the run', async () => {
    await expect(client.send('r1', 'x'.repeat(2_100_000))).rejects.toThrow(/^prompt: has 21000\d\d bytes/);
    await expect(client.send('r1', '')).rejects.toThrow(InvalidRequest);
  });

  test('for a cursor that is none', async () => {
    const events = client.events('r1', { after: 'later' });
    await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow('after: "later" is no cursor');
  });
});

test('a server that does not answer is named as such', async () => {
  const call = () => nowhere.workflow.getHandle('r1').describe();
  await expect(callServer(nowhere, 'r1', call, { deadlineMs: 100 })).rejects.toThrow(ServerUnavailable);
});

test('an aborted call throws the reason of the abort', async () => {
  const reason = new Error('enough');
  const waiting = client.result('r1', { signal: AbortSignal.abort(reason) });
  await expect(waiting).rejects.toBe(reason);
});

test('the link to the Temporal UI escapes what it is given', () => {
  const url = runUrl('http://127.0.0.1:8233/', 'default', 'a/b?', 'r-1');
  expect(url).toBe('http://127.0.0.1:8233/namespaces/default/workflows/a%2Fb%3F/r-1/history');
});
