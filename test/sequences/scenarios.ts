// The runs whose model calls are kept: one of each kind of answer that decides where the loop goes.

import { type Agent, type AgentDefinition, defineAgent } from '../../src/agents/agent.ts';
import type { AgentClient } from '../../src/client/agent-client.ts';
import { defineTool, ToolError } from '../../src/tools/tool.ts';
import type { ScriptEntry } from '../fake-model-api/answers.ts';
import { answer, call, text, thinking } from '../fake-model-api/samples.ts';
import { turnFinished } from '../support/events.ts';

/** One run to record and to replay. */
export interface Scenario {
  readonly agent: Agent;
  /** What the provider answers when the run is recorded. */
  readonly responses: readonly ScriptEntry[];
  /** Leads a run to its end, and gives its id. */
  play(client: AgentClient): Promise<string>;
}

const AGENT = 'recorded';
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const base = { description: 'For a recorded run.', effect: 'read', input: city } as const;
const TOOLS = [
  defineTool({ ...base, name: 'look', run: ({ city: name }) => `a view of ${String(name)}` }),
  defineTool({ ...base, name: 'count', quick: true, run: ({ city: name }) => String(name).length }),
  defineTool({
    ...base,
    name: 'enter',
    effect: 'once',
    run: () => {
      throw new ToolError('the gate is closed');
    },
  }),
];
const overloaded = { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } };

/** The agent of all sequences; a test may change it to see the replay fail. */
export function recordedAgent(changes: Partial<AgentDefinition> = {}): Agent {
  const given = { name: AGENT, instructions: 'Be brief.', tools: TOOLS };
  const model = changes.models ? {} : { model: 'anthropic/claude-fake-1' };
  return defineAgent({ ...given, ...model, ...changes });
}

/** A task from its start to its end. */
async function task(client: AgentClient): Promise<string> {
  const { run } = await client.start({ agent: AGENT, prompt: 'What is it like in Seoul and Lima?' });
  await client.result(run);
  return run;
}

/** A chat with these messages, each said when the one before is answered. */
function chat(...said: readonly string[]) {
  return async (client: AgentClient): Promise<string> => {
    const [prompt = '', ...more] = said;
    const { run } = await client.start({ agent: AGENT, prompt, mode: 'chat' });
    await turnFinished(client, run, 1);
    for (const [index, words] of more.entries()) {
      await client.send(run, words, { requestId: `message-${index + 2}` });
      await turnFinished(client, run, index + 2);
    }
    await client.close(run);
    await client.result(run);
    return run;
  };
}

function parallelTools(): Scenario {
  const first = answer(
    text('I look at both.'),
    call('toolu_look_1', { city: 'Seoul' }),
    call('toolu_look_2', { city: 'Lima' }),
    call('toolu_enter_1', { city: 'Lima' }, 'enter'),
    call('toolu_fly_1', { city: 'Lima' }, 'fly'),
    call('toolu_look_3', { town: 'Lima' }),
  );
  const responses = [first, answer(call('toolu_count_1', { city: 'Lima' }, 'count')), answer(text('Both are fine.'))];
  return { agent: recordedAgent(), responses, play: task };
}

function cutCall(): Scenario {
  const cut = { ...answer(call('toolu_cut_1', { city: 'Seo' })), stop_reason: 'max_tokens' };
  const responses = [cut, answer(call('toolu_whole_1', { city: 'Seoul' })), answer(text('A view of Seoul.'))];
  return { agent: recordedAgent(), responses, play: task };
}

function refusedTurn(): Scenario {
  const refusal = { ...answer(), stop_reason: 'refusal' };
  const responses = [answer(text('Hello.')), refusal, answer(text('It is fine.'))];
  return { agent: recordedAgent(), responses, play: chat('Hello?', 'Something bad.', 'Something good.') };
}

function thinkingAndTool(): Scenario {
  const responses = [
    answer(thinking('Two cities, one tool.'), text('One moment.'), call('toolu_look_1', { city: 'Seoul' })),
    answer(thinking('That is enough.'), text('It is fine in Seoul.')),
  ];
  return { agent: recordedAgent(), responses, play: task };
}

function chatWithTools(): Scenario {
  const responses = [
    answer(call('toolu_look_1', { city: 'Seoul' })),
    answer(text('Fine in Seoul.')),
    answer(call('toolu_look_2', { city: 'Lima' }), call('toolu_count_1', { city: 'Lima' }, 'count')),
    answer(text('Fine in Lima, which has four letters.')),
    answer(text('You are welcome.')),
  ];
  return { agent: recordedAgent(), responses, play: chat('And in Seoul?', 'And in Lima?', 'Thanks.') };
}

function emptyAnswer(): Scenario {
  const responses = [answer(call('toolu_look_1', { city: 'Seoul' })), answer(), answer(text('Nothing to add.'))];
  return { agent: recordedAgent(), responses, play: task };
}

function overloadedThenAnswered(): Scenario {
  const responses = [overloaded, answer(call('toolu_look_1', { city: 'Lima' })), overloaded, answer(text('Fine.'))];
  return { agent: recordedAgent(), responses, play: task };
}

function fallbackModel(): Scenario {
  const models = ['anthropic/claude-fake-1', 'anthropic/claude-fake-2'];
  const responses = [overloaded, answer(call('toolu_look_1', { city: 'Lima' })), answer(text('Fine.'))];
  return { agent: recordedAgent({ models, modelAttempts: 1 }), responses, play: task };
}

/** The scenarios by the names of their files; each is made anew for each use. */
export const SCENARIOS: Readonly<Record<string, () => Scenario>> = {
  'parallel-tools': parallelTools,
  'cut-call': cutCall,
  'refused-turn': refusedTurn,
  'thinking-and-tool': thinkingAndTool,
  'chat-with-tools': chatWithTools,
  'empty-answer': emptyAnswer,
  'overloaded-then-answered': overloadedThenAnswered,
  'fallback-model': fallbackModel,
};
