import type { StopReason, Verdict } from '../protocol/activities.ts';
import { type AssistantMessage, type CallBlock, callsOf } from '../protocol/messages.ts';
import type { ContextHead } from '../protocol/snapshot.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { malformedText } from '../tools/verdict-text.ts';
import { cutCallText } from './outcome-texts.ts';

/** Stop reasons with which an answer ends wherever it happens to be, also inside a call. */
const CUTTING: ReadonlySet<StopReason> = new Set(['max_tokens', 'context_overflow']);

export interface Answer {
  readonly message: AssistantMessage | null;
  readonly stopReason: StopReason;
}

/** A verdict for each call of an answer, in its order. Only the tools that the run told the model of may be called. */
export async function judgeCalls(
  { message, stopReason }: Answer,
  head: ContextHead,
  registry: ToolRegistry,
): Promise<Verdict[]> {
  if (!message) return [];
  const last = message.content.at(-1);
  const names = head.tools.map(({ name }) => name);
  return await Promise.all(
    callsOf(message).map((call): Promise<Verdict> | Verdict => {
      if (call === last && CUTTING.has(stopReason)) return { status: 'cut', text: cutCallText(call.name) };
      return names.includes(call.name) && !registry.get(call.name)
        ? judgeElsewhere(call)
        : registry.verdict(call.name, call, names);
    }),
  );
}

/** A tool of the run that this worker lacks may be on another worker, which checks the input. */
function judgeElsewhere({ name, malformed }: CallBlock): Verdict {
  if (malformed === undefined) return { status: 'ok' };
  return { status: 'invalid_input', path: '', text: malformedText(name, malformed) };
}
