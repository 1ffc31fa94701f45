import type { ToolResult } from '../protocol/activities.ts';
import type { CallBlock, ResultContent } from '../protocol/messages.ts';
import type { LoopGuard } from '../protocol/snapshot.ts';

/** How often in a row the model has made the same calls with the same inputs. */
export interface RepeatState {
  readonly signature: string;
  readonly count: number;
}

/** The state after another iteration's calls. Equal calls inside one iteration are no repetition: they are asked for at once. */
export function seeCalls(before: RepeatState | null, calls: readonly CallBlock[]): RepeatState {
  const signature = JSON.stringify(calls.map((call) => [call.name, call.input, call.malformed]));
  return { signature, count: before?.signature === signature ? before.count + 1 : 1 };
}

/** The results, the last one with a warning for the model when it repeats itself. */
export function repeatWarning(
  { count }: RepeatState,
  guard: LoopGuard,
  results: readonly ToolResult[],
): readonly ToolResult[] {
  const last = results.at(-1);
  if (count < guard.warnAt || !last) return results;
  const text = `Note: you have made the same call with the same input ${count} times in a row. After ${guard.stopAt} times the turn is stopped. Use what you have, or try something else.`;
  const warning: ResultContent = { type: 'text', text };
  return [...results.slice(0, -1), { ...last, content: [...last.content, warning] }];
}
