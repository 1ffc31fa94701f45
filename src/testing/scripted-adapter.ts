import { finished } from '../adapters/finished.ts';
import { type ModelAdapter, ModelError, type ModelEvent, type ModelRequest } from '../adapters/model-adapter.ts';
import type { AssistantBlock, JsonObject } from '../protocol/messages.ts';
import { NO_USAGE, type Usage } from '../protocol/run.ts';

/** A call as a test writes it. */
export type ScriptedCall = readonly [tool: string, input?: JsonObject];

/** One answer of a scripted model. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
}

/** An answer for each request, in order; or a function of the request, for a model that decides or never ends. */
export type Script = readonly Reply[] | ((request: ModelRequest) => Reply);

/** An adapter that plays a script. */
export interface ScriptedAdapter extends ModelAdapter {
  /** What it was asked, in order. */
  readonly requests: readonly ModelRequest[];
}

/** What each answer is said to have used; any number would do. */
const USAGE: Usage = { ...NO_USAGE, inputTokens: 20, outputTokens: 10 };

/** An answer that ends the turn. */
export function says(text: string): Reply {
  return { text, calls: [] };
}

/** An answer that calls tools, all of them at once. */
export function asks(...calls: readonly ScriptedCall[]): Reply {
  return { text: '', calls };
}

/** The simplest model for a test. Asked more often than its list is long it throws a ModelError `invalid_request`. */
export function scriptedAdapter(script: Script): ScriptedAdapter {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *stream(request) {
      requests.push(request);
      yield* eventsOf(nextReply(script, request, requests.length), request, requests.length);
    },
  };
}

function nextReply(script: Script, request: ModelRequest, number: number): Reply {
  if (typeof script === 'function') return script(request);
  const reply = script[number - 1];
  if (reply) return reply;
  const message = `The script has no answer number ${number}: it ends after ${script.length}.`;
  throw new ModelError('invalid_request', message, { retryable: false });
}

function* eventsOf({ text, calls }: Reply, { model }: ModelRequest, number: number): Generator<ModelEvent> {
  if (text) yield { type: 'text_delta', text };
  for (const [name] of calls) yield { type: 'tool_call', name };
  const texts: AssistantBlock[] = text ? [{ type: 'text', text }] : [];
  const asked = calls.map(([name, input = {}], index): AssistantBlock => {
    return { type: 'call', callId: `call_${number}_${index + 1}`, name, input };
  });
  yield finished({ model, content: [...texts, ...asked], usage: USAGE });
}
