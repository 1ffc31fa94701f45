// A chat that lives through deploys: each turn is that of the agent as it was deployed when the turn began.

import { expect, test } from 'vitest';
import { type Agent, type AgentDefinition, defineAgent } from '../../src/agents/agent.ts';
import type { AgentClient } from '../../src/client/agent-client.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { answer, text, thinking } from '../fake-model-api/samples.ts';
import { turnFinished } from '../support/events.ts';
import { withHarness } from '../support/harness.ts';
import { asks, says } from '../support/messages.ts';

const tool = (name: string) =>
  defineTool({ name, description: name, input: { type: 'object' }, effect: 'read', run: () => `${name} was used` });
const agent = (changes: Partial<AgentDefinition> = {}): Agent =>
  defineAgent({
    name: 'clerk',
    instructions: 'First.',
    model: 'anthropic/claude-fake-1',
    tools: [tool('look')],
    ...changes,
  });

async function changes(client: AgentClient, run: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of client.events(run)) if (event.type === 'agent_changed') events.push(event);
  return events;
}

test('a chat takes the agent that is deployed when its next turn begins, and keeps what was said', async () => {
  const responses = [says('One.'), asks(['find']), says('Two.'), says('Three.')];
  await withHarness({ agents: [agent()], model: { responses } }, async ({ client, fake, deploy }) => {
    const { run } = await client.start({ agent: 'clerk', prompt: 'Hello?', mode: 'chat' });
    await turnFinished(client, run, 1);
    await deploy(agent({ instructions: 'Second.', tools: [tool('find')] }));
    await client.send(run, 'And now?');
    await turnFinished(client, run, 2);
    await deploy(agent({ instructions: 'Second.', tools: [tool('find')], limits: { maxIterations: 3 } }));
    await client.send(run, 'Thanks.');
    await client.close(run);
    expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'Three.', turns: 3 });
    expect(fake.rejections).toEqual([]);
    expect(fake.requests.map(({ text }) => /"(First|Second)\."/.exec(text)?.[1])).toEqual([
      'First',
      'Second',
      'Second',
      'Second',
    ]);
    expect(fake.requests[1]?.text).toContain('One.');
    expect(fake.requests[2]?.text).toContain('find was used');
    expect(await changes(client, run)).toMatchObject([
      { turn: 2, changed: ['instructions', 'tools'] },
      { turn: 3, changed: ['limits'] },
    ]);
    expect(await client.transcript(run)).toHaveLength((await client.result(run)).transcript.length);
  });
});

test('a chat whose agent is not deployed any more goes on with the one it had', async () => {
  const responses = [says('One.'), says('Two.')];
  await withHarness({ agents: [agent()], model: { responses } }, async ({ client, fake, deploy }) => {
    const { run } = await client.start({ agent: 'clerk', prompt: 'Hello?', mode: 'chat' });
    await turnFinished(client, run, 1);
    await deploy(agent({ name: 'other' }));
    await client.send(run, 'And now?');
    await client.close(run);
    expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'Two.' });
    expect(fake.requests[1]?.text).toContain('"First."');
    expect(await changes(client, run)).toEqual([]);
  });
});

test('a chat with a model that binds its thinking to the instructions goes on after they have changed', async () => {
  const responses = [answer(thinking('hm'), text('One.')), says('Two.'), says('Three.')];
  const model = { responses, bindsThinking: true };
  await withHarness({ agents: [agent()], model }, async ({ client, fake, deploy }) => {
    const { run } = await client.start({ agent: 'clerk', prompt: 'Hello?', mode: 'chat' });
    await turnFinished(client, run, 1);
    await deploy(agent({ instructions: 'Second.' }));
    await client.send(run, 'And now?');
    await turnFinished(client, run, 2);
    await client.send(run, 'Thanks.');
    await client.close(run);
    expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'Three.' });
    expect(fake.rejections).toEqual([expect.stringContaining('bound to a different conversation')]);
    expect(fake.requests).toHaveLength(4);
  });
});
