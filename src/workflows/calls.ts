import type { CallModelResult, ToolResult } from '../protocol/activities.ts';
import type { Fact } from '../protocol/facts.ts';
import { cutText } from '../protocol/json.ts';
import { MAX_CUT_ANSWERS } from '../protocol/limits.ts';
import { planCalls, runCalls, skip } from './dispatch.ts';
import { limitBeforeCalls } from './limits.ts';
import { type LoopPorts, type LoopState, positionOf } from './loop-ports.ts';
import { repeatWarning, seeCalls } from './repeats.ts';
import { spendOf, stopAtLimit } from './stop-at-limit.ts';
import { answer } from './transcript.ts';
import { cutAgain, failed, type TurnEnd } from './turn-end.ts';

/** Runs the open calls of an answer and answers each. Gives the end of the turn, or undefined to ask the model again. */
export async function afterCalls(
  state: LoopState,
  ports: LoopPorts,
  result: CallModelResult,
): Promise<TurnEnd | undefined> {
  const { snapshot, transcript, turn } = state;
  const calls = transcript.open;
  turn.repeats = seeCalls(turn.repeats, calls);
  if (turn.repeats.count >= snapshot.loopGuard.stopAt) {
    skipOpenCalls(state, ports, 'the same call was made again and again.');
    return failed('loop_detected', `The model made the same calls ${turn.repeats.count} times in a row.`);
  }
  const limit = limitBeforeCalls(snapshot.limits, spendOf(state, ports));
  if (limit) {
    skipOpenCalls(state, ports, `${limit.limit} is used up.`);
    return stopAtLimit(state, ports, limit);
  }
  const plan = planCalls(calls, result.verdicts, snapshot.tools, snapshot.limits.maxCallsPerIteration);
  for (const skipped of plan.skipped) ports.fact(skippedFact(state, skipped));
  const results = [...plan.answered, ...(await runCalls(plan.run, ports.runCall(positionOf(state))))];
  answerCalls(state, repeatWarning(turn.repeats, snapshot.loopGuard, results));
  if (!result.verdicts.some((verdict) => verdict.status === 'cut')) return undefined;
  turn.cutAnswers++;
  return turn.cutAnswers < MAX_CUT_ANSWERS ? undefined : cutAgain(turn.cutAnswers);
}

function answerCalls({ transcript, turn }: LoopState, results: readonly ToolResult[]): void {
  const names = new Map(transcript.open.map((call) => [call.callId, call.name]));
  const lastCalls = results.map((result) => ({
    name: cutText(names.get(result.callId) ?? '', 64),
    outcome: result.outcome,
    ...(result.outcome === 'completed' ? {} : { detail: detailOf(result, names.get(result.callId) ?? '') }),
  }));
  // The failing ones are what a reader looks for, and the memo that shows them is small.
  const shown = [...lastCalls.filter((call) => call.detail), ...lastCalls.filter((call) => !call.detail)];
  turn.lastState = { ...turn.lastState, lastCalls: shown.slice(0, 3) };
  answer(transcript, results);
}

function skipOpenCalls(state: LoopState, ports: LoopPorts, why: string): void {
  const skipped = state.transcript.open.map((call) => skip(call, why));
  for (const result of skipped) ports.fact(skippedFact(state, result));
  if (skipped.length > 0) answerCalls(state, skipped);
}

function skippedFact({ turn }: LoopState, { callId, content }: ToolResult): Fact {
  const text = content[0]?.type === 'text' ? content[0].text : '';
  return { type: 'call_skipped', turn: turn.turn, iteration: turn.iteration, callId, text };
}

/** The first line of what went wrong, without the name and outcome that stand beside it anyway. */
function detailOf({ content, outcome }: ToolResult, name: string): string {
  const text = content.find((block) => block.type === 'text')?.text ?? '';
  const line = text.split('\n', 1)[0] ?? '';
  const prefix = `${name} ${outcome}: `;
  return cutText(line.startsWith(prefix) ? line.slice(prefix.length) : line, 200);
}
