// The runs whose histories are kept: one of each kind of course that a run can take.

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Agent, type AgentDefinition, defineAgent } from '../../src/agents/agent.ts';
import type { AgentClient } from '../../src/client/agent-client.ts';
import { defineTool, type Tool, ToolError } from '../../src/tools/tool.ts';
import type { ScriptEntry } from '../fake-model-api/answers.ts';
import { answer } from '../fake-model-api/samples.ts';
import { turnFinished } from '../support/events.ts';
import { asks, says } from '../support/messages.ts';

/** One run to record, with an agent and a scripted model of its own. */
export interface Scenario {
  readonly agent: Agent;
  readonly responses: readonly ScriptEntry[];
  /** Leads a run to its end, and gives its id. */
  play(client: AgentClient): Promise<string>;
}

const AGENT = 'keeper';
const base = { description: 'For a kept history.', input: { type: 'object' } } as const;
const look = defineTool({ ...base, name: 'look', effect: 'read', run: () => 'a view' });
const save = defineTool({ ...base, name: 'save', effect: 'idempotent', run: () => 'saved' });
const pay = defineTool({ ...base, name: 'pay', effect: 'once', run: () => 'paid' });
const add = defineTool({ ...base, name: 'add', effect: 'read', quick: true, run: () => 42 });
const overloaded = { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } };

function keeper(tools: readonly Tool[], changes: Partial<AgentDefinition> = {}): Agent {
  return defineAgent({ name: AGENT, instructions: 'Be brief.', model: 'anthropic/claude-fake-1', tools, ...changes });
}

/** A task from its start to its end. */
async function task(client: AgentClient): Promise<string> {
  const { run } = await client.start({ agent: AGENT, prompt: 'Go.' });
  await client.result(run);
  return run;
}

function parallelCalls(): Scenario {
  const calls = asks(['look', { n: 1 }], ['save', { n: 2 }], ['pay', { n: 3 }], ['nowhere']);
  return { agent: keeper([look, save, pay]), responses: [calls, says('Done.')], play: task };
}

function quickCalls(): Scenario {
  const responses = [asks(['add', { n: 1 }], ['add', { n: 2 }]), asks(['add'], ['look']), says('42.')];
  return { agent: keeper([add, look]), responses, play: task };
}

function chatWithRefusal(): Scenario {
  const refusal = { ...answer(), stop_reason: 'refusal' };
  return {
    agent: keeper([look]),
    responses: [says('Hello.'), refusal, asks(['look']), says('A view.')],
    async play(client) {
      const { run } = await client.start({ agent: AGENT, prompt: 'Hello?', mode: 'chat' });
      await turnFinished(client, run, 1);
      await client.send(run, 'Something bad.');
      await turnFinished(client, run, 2);
      await client.send(run, 'Something good.');
      await turnFinished(client, run, 3);
      await client.close(run);
      await client.result(run);
      return run;
    },
  };
}

function limitReached(): Scenario {
  const responses = [asks(['look', { n: 1 }]), asks(['look', { n: 2 }])];
  return { agent: keeper([look], { limits: { maxIterations: 2 } }), responses, play: task };
}

function failingCalls(): Scenario {
  const fragile = defineTool({
    ...base,
    name: 'fragile',
    effect: 'read',
    run: (_input, { attempt }) => {
      if (attempt < 2) throw new Error('the line was busy');
      return 'through';
    },
  });
  const refuse = defineTool({
    ...base,
    name: 'refuse',
    effect: 'read',
    quick: true,
    run: () => {
      throw new ToolError('never');
    },
  });
  const responses = [asks(['fragile'], ['refuse']), asks(['refuse']), overloaded, says('One of two.')];
  return { agent: keeper([fragile, refuse]), responses, play: task };
}

function unknownOutcome(): Scenario {
  const hang = defineTool({
    ...base,
    name: 'hang',
    effect: 'once',
    timeoutMs: 200,
    run: (_input, { signal }) => delay(60_000, undefined, { signal }),
  });
  return { agent: keeper([hang]), responses: [asks(['hang']), says('Nobody knows.')], play: task };
}

function failedRun(): Scenario {
  const refused = { status: 401, body: { type: 'error', error: { type: 'authentication_error', message: 'no key' } } };
  return { agent: keeper([look]), responses: [asks(['look']), refused], play: task };
}

/** A tool that says when it runs, and ends when it is told to, or cancelled. */
function heldTool() {
  const begun = signalled();
  const released = signalled();
  const tool = defineTool({
    ...base,
    name: 'hold',
    effect: 'read',
    run: async (_input, { signal }) => {
      begun.fire();
      await Promise.race([released.fired, once(signal, 'abort')]);
      signal.throwIfAborted();
      return 'held';
    },
  });
  return { tool, begun: begun.fired, release: released.fire };
}

function cancelledRun(): Scenario {
  const { tool, begun } = heldTool();
  return {
    agent: keeper([tool, look]),
    responses: [asks(['hold'], ['look'])],
    async play(client) {
      const { run } = await client.start({ agent: AGENT, prompt: 'Go.' });
      await begun;
      await client.cancel(run);
      await client.result(run);
      return run;
    },
  };
}

function messageJoins(): Scenario {
  const { tool, begun, release } = heldTool();
  return {
    agent: keeper([tool]),
    responses: [asks(['hold']), says('Held, and heard.')],
    async play(client) {
      const { run } = await client.start({ agent: AGENT, prompt: 'Go.' });
      await begun;
      await client.send(run, 'And one more thing.');
      release();
      await client.result(run);
      return run;
    },
  };
}

function manyLinks(): Scenario {
  const responses = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => asks(['look', { n }], ['save', { n }]));
  const agent = keeper([look, save], { continueAsNewAfterEvents: 50 });
  return { agent, responses: [...responses, says('Everything.')], play: task };
}

function compactedRun(): Scenario {
  const long = defineTool({ ...base, name: 'long', effect: 'read', run: () => 'words '.repeat(800) });
  const compaction = { contextWindowTokens: 4_000 };
  const looks = (from: number) => [from, from + 1, from + 2].map((n) => asks(['long', { n }]));
  const responses = [...looks(1), says('Three were read.'), asks(['long', { n: 4 }]), says('Four.')];
  return { agent: keeper([long], { compaction }), responses, play: task };
}

/** The scenarios by the names of their files; each is made anew for each use. */
export const SCENARIOS: Readonly<Record<string, () => Scenario>> = {
  'parallel-calls': parallelCalls,
  'quick-calls': quickCalls,
  'chat-with-refusal': chatWithRefusal,
  'limit-reached': limitReached,
  'failing-calls': failingCalls,
  'unknown-outcome': unknownOutcome,
  'failed-run': failedRun,
  'cancelled-run': cancelledRun,
  'message-joins': messageJoins,
  'many-links': manyLinks,
  'compacted-run': compactedRun,
};

function signalled() {
  let fire = (): void => undefined;
  const fired = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { fired, fire: () => fire() };
}
