// The law of the transcript: bytes in history are linear in what was said.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/agent.ts';
import { ACTIVITIES } from '../../src/protocol/activities.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { withHarness } from '../support/harness.ts';
import { eventBytes, type HistoryEvent, historyOf, kindOf } from '../support/histories.ts';
import { asks, says } from '../support/messages.ts';

const ITERATIONS = 60;
const RESULT_BYTES = 4_096;
const TOOLS = ['read_page', 'read_mail', 'read_log'] as const;

/** Tools whose results no compression makes smaller, and the bytes that they have produced. */
function createTools() {
  let bytesProduced = 0;
  const tools = TOOLS.map((name) =>
    defineTool({
      name,
      description: 'Reads something long.',
      input: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
      effect: 'read',
      run: () => {
        const text = randomBytes((RESULT_BYTES * 3) / 4).toString('base64');
        bytesProduced += Buffer.byteLength(text);
        return text;
      },
    }),
  );
  return { tools, bytesProduced: () => bytesProduced };
}

/** Bytes of history by iteration: from one model call's schedule to the next. What is before the first belongs to it. */
function bytesByIteration(events: readonly HistoryEvent[]): number[] {
  const iterations: number[] = [];
  let before = 0;
  for (const event of events) {
    const starts = event.activityTaskScheduledEventAttributes?.activityType?.name === ACTIVITIES.callModel;
    if (starts) iterations.push(iterations.length === 0 ? before : 0);
    if (iterations.length === 0) before += eventBytes(event);
    else iterations[iterations.length - 1] = (iterations.at(-1) ?? 0) + eventBytes(event);
  }
  return iterations;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Where the bytes are, for the message of a failing test. */
function bytesByKind(events: readonly HistoryEvent[]): string {
  const kinds = new Map<string, { count: number; bytes: number }>();
  for (const event of events) {
    const name = event.activityTaskScheduledEventAttributes?.activityType?.name;
    const kind = name ? `${kindOf(event)} ${name}` : kindOf(event);
    const { count, bytes } = kinds.get(kind) ?? { count: 0, bytes: 0 };
    kinds.set(kind, { count: count + 1, bytes: bytes + eventBytes(event) });
  }
  const lines = [...kinds].sort(([, a], [, b]) => b.bytes - a.bytes);
  return lines.map(([kind, { count, bytes }]) => `${kind}: ${count} events, ${bytes} bytes`).join('\n');
}

describe('the history of a run of 60 iterations', () => {
  test('grows by the same bytes an iteration, and stays under 2.5 times what model and tools produced', async () => {
    const { tools, bytesProduced } = createTools();
    const agent = defineAgent({
      name: 'reader',
      instructions: 'Read everything.',
      model: 'anthropic/claude-fake-1',
      tools,
      limits: { maxIterations: ITERATIONS },
    });
    const respond = (_: unknown, index: number) =>
      index < ITERATIONS - 1 ? asks(...TOOLS.map((name) => [name, { page: index }] as const)) : says('All is read.');
    await withHarness({ agents: [agent], model: { respond } }, async ({ client, temporal, fake }) => {
      const { run } = await client.start({ agent: 'reader', prompt: 'Read all pages.' });
      expect(await client.result(run)).toMatchObject({ status: 'completed', iterations: ITERATIONS });
      const events = await historyOf(temporal, run);
      const { historySize = 0 } = await temporal.workflow.getHandle(run).describe();
      const iterations = bytesByIteration(events);
      const total = sum(iterations);
      const produced = fake.bytesProduced + bytesProduced();
      const where = `${total} bytes in ${events.length} events, ${produced} produced\n${bytesByKind(events)}`;

      expect(iterations).toHaveLength(ITERATIONS);
      expect(Math.abs(historySize - total) / total, `the server counts ${historySize} bytes`).toBeLessThan(0.05);
      const [first, last] = [sum(iterations.slice(0, 10)), sum(iterations.slice(-10))];
      expect(Math.abs(last / first - 1), `first ten ${first} bytes, last ten ${last}\n${where}`).toBeLessThan(0.1);
      expect(total / produced, where).toBeLessThan(2.5);
    });
  });
});
