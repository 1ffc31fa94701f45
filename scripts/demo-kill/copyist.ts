// The agent of the demo. Its model follows a script, so that the demo needs no key and no network; its tool only waits.
// Both are slow, so that there is time to kill a worker in the middle of them. All else is what every run gets.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../src/adapters/model-adapter.ts';
import { type Agent, defineAgent } from '../../src/agents/agent.ts';
import type { AssistantBlock } from '../../src/protocol/messages.ts';
import { NO_USAGE } from '../../src/protocol/run.ts';
import { defineTool } from '../../src/tools/tool.ts';

/** The agent's name. */
export const COPYIST = 'copyist';
/** What it is asked for. */
export const PROMPT = 'Copy chapters 1 and 2, one after the other.';
/** One for each chapter, and one for the answer. */
export const NEEDED_MODEL_REQUESTS = 3;

const CHAPTERS = 2;
const PAGES = 15;
/** A chapter takes a second and a half: long enough to see what the worker is doing when it is killed. */
const PAGE_MS = 100;
/** The pace of a model that writes fast. */
const WORD_MS = 100;
const ANSWER = 'Both chapters are copied, and I have not lost the thread in between.';

/** An agent that copies chapters with a slow tool. `onPage` is told of each page that is copied. */
export function copyist(onPage: (chapter: number, page: number) => void): Agent {
  return defineAgent({
    name: COPYIST,
    instructions: 'Copy what you are asked to copy, one chapter at a time.',
    model: 'script/slow',
    tools: [
      defineTool({
        name: 'copy_chapter',
        description: 'Copies one chapter.',
        input: { type: 'object', properties: { chapter: { type: 'integer' } }, required: ['chapter'] },
        effect: 'idempotent',
        run: async ({ chapter }, { signal }) => {
          for (let page = 1; page <= PAGES; page++) {
            await sleep(PAGE_MS, undefined, { signal });
            onPage(Number(chapter), page);
          }
          return `${PAGES} pages of chapter ${chapter} are copied`;
        },
      }),
    ],
  });
}

/** The model: it asks for a chapter at a time, and then writes its answer word by word. */
export function createScriptedModel(): ModelAdapter {
  return {
    async *stream({ model, messages }: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const chapter = messages.filter(({ role }) => role === 'assistant').length + 1;
      const isDone = chapter > CHAPTERS;
      const text = isDone ? ANSWER : `Now chapter ${chapter}.`;
      for (const word of text.split(/(?<= )/)) {
        await sleep(WORD_MS, undefined, { signal });
        yield { type: 'text_delta', text: word };
      }
      const said: AssistantBlock = { type: 'text', text };
      const call: AssistantBlock = {
        type: 'call',
        callId: `copy-${chapter}`,
        name: 'copy_chapter',
        input: { chapter },
      };
      const stopReason = isDone ? 'end_turn' : 'tool_use';
      yield {
        type: 'finished',
        message: { role: 'assistant', content: isDone ? [said] : [said, call] },
        stopReason,
        rawStopReason: stopReason,
        model,
        usage: { ...NO_USAGE, inputTokens: 40 * chapter, outputTokens: text.length },
      };
    },
  };
}
