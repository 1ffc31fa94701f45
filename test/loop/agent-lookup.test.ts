// What happens to a chat while its agent is looked up for the next turn.

import { describe, expect, test } from 'vitest';
import type { ModelAdapter, ModelRequest } from '../../src/adapters/model-adapter.ts';
import { type Agent, defineAgent } from '../../src/agents/agent.ts';
import { NO_USAGE } from '../../src/protocol/run.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { type RunWorker, withRunWorker } from '../support/run-worker.ts';
import { quietRuntime } from '../support/runtime.ts';
import { testTemporal } from '../support/server.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  effect: 'read',
  run: () => 'x',
});
const clerk = (instructions: string, tools: readonly Tool[] = []): Agent =>
  defineAgent({ name: 'clerk', instructions, model: 'test/echo', tools });

interface Stage extends RunWorker {
  readonly requests: readonly ModelRequest[];
  /** From now on a worker that starts can't look up an agent until it is released. */
  hold(): { readonly begun: Promise<void>; release(): void };
}

async function onStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  quietRuntime();
  const requests: ModelRequest[] = [];
  let gate: { readonly begun: () => void; readonly open: Promise<void> } | undefined;
  const hold = () => {
    let release = (): void => undefined;
    let begin = (): void => undefined;
    const open = new Promise<void>((resolve) => (release = resolve));
    const begun = new Promise<void>((resolve) => (begin = resolve));
    gate = { begun: begin, open };
    return { begun, release };
  };
  const adapter: ModelAdapter = {
    async *stream(request) {
      requests.push(request);
      const message = { role: 'assistant', content: [{ type: 'text', text: `Answer ${requests.length}.` }] } as const;
      yield { type: 'finished', message, stopReason: 'end_turn', rawStopReason: 'end', model: 'echo', usage: NO_USAGE };
    },
  };
  const adapters = {
    test: async () => {
      gate?.begun();
      await gate?.open;
      return adapter;
    },
  };
  await withRunWorker({ ...testTemporal(), agents: [clerk('First.')], adapters }, (worker) =>
    play({ ...worker, requests, hold }),
  );
}

/** A chat after its first turn, whose second one waits for the agent. */
async function waitingChat({ client, deploy, hold }: Stage) {
  const { run } = await client.start({ agent: 'clerk', prompt: 'One?', mode: 'chat' });
  for await (const event of client.events(run)) if (event.type === 'turn_finished') break;
  const { begun, release } = hold();
  await deploy(clerk('Second.'));
  await client.send(run, 'Two?');
  await begun;
  return { run, release };
}

describe('a chat that waits for its agent', () => {
  test('takes what is said meanwhile into the same turn, and ends after it where it is closed', async () => {
    await onStage(async (stage) => {
      const { client, requests } = stage;
      const { run, release } = await waitingChat(stage);
      const [receipt] = await Promise.all([client.send(run, 'And three?'), release()]);
      await client.close(run);
      const result = await client.result(run);
      expect(result).toMatchObject({ status: 'completed', turns: 2 });
      expect(receipt).toEqual({ turn: 2 });
      expect(requests.at(-1)?.instructions).toBe('Second.');
      expect(JSON.stringify(requests.at(-1)?.messages)).toMatch(/Two\?.*And three\?/);
    });
  });

  test('ends as cancelled, with a transcript from which another run can go on', async () => {
    await onStage(async (stage) => {
      const { client, requests } = stage;
      const { run, release } = await waitingChat(stage);
      await client.cancel(run);
      release();
      expect(await client.result(run)).toMatchObject({ status: 'cancelled', reason: 'user_cancelled' });
      expect(requests).toHaveLength(1);
      expect(await client.transcript(run)).toHaveLength(2);
    });
  });
});

test('a chat that asked for a tool which the new agent lacks stays with the old one until there is one that has it', async () => {
  await onStage(async ({ client, deploy, requests }) => {
    await deploy(clerk('First.', [look]));
    const { run } = await client.start({ agent: 'clerk', prompt: 'One?', mode: 'chat', tools: ['look'] });
    const finished = async (turn: number) => {
      for await (const event of client.events(run)) if (event.type === 'turn_finished' && event.turn === turn) return;
    };
    await finished(1);
    await deploy(clerk('Second.'));
    await client.send(run, 'Two?');
    await finished(2);
    await deploy(clerk('Third.', [look]));
    await client.send(run, 'Three?');
    await client.close(run);
    expect(await client.result(run)).toMatchObject({ status: 'completed', turns: 3 });
    expect(requests.map(({ instructions }) => instructions)).toEqual(['First.', 'First.', 'Third.']);
  });
});
