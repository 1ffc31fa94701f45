// The bare floor: an agent loop as a Temporal engineer writes it by hand for speed, without Pawl.

import { defineQuery, proxyActivities, setHandler } from '@temporalio/workflow';
import type { FloorActivities, Message } from './contract.ts';

const { callModel, callTool } = proxyActivities<FloorActivities>({
  startToCloseTimeout: 60_000,
  retry: { maximumAttempts: 5 },
});

const conversation = defineQuery<Message[]>('conversation');

/** Asks the model and runs the tools that it asks for, until it has an answer. */
export async function floorAgent(model: string, prompt: string): Promise<string> {
  const messages: Message[] = [];
  setHandler(conversation, () => messages);
  let append: Message[] = [{ role: 'user', content: prompt }];
  for (;;) {
    const answer = await callModel({ model, length: messages.length, append });
    messages.push(...append, answer);
    const calls = answer.content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    append = [{ role: 'user', content: await Promise.all(calls.map((call) => callTool(call))) }];
  }
}
