import { type LimitStop, limitSentence, type Spend } from './limits.ts';
import { type LoopPorts, type LoopState, positionOf } from './loop-ports.ts';
import type { TurnEnd } from './turn-end.ts';

/** Ends the turn at a limit: history is told which, and the text says it in one sentence. */
export function stopAtLimit(state: LoopState, ports: LoopPorts, stop: LimitStop): TurnEnd {
  const { turn } = state;
  const { limit, value, spent, reason } = stop;
  ports.fact({ type: 'limit_reached', ...positionOf(state), limit, value, spent, lastState: turn.lastState });
  const text = limitSentence(stop, spendOf(state, ports), turn.lastState);
  return { status: 'limit_reached', reason, text, textIsAnswer: false };
}

/** What the run has used up, as limits count it. */
export function spendOf({ turn, run }: LoopState, ports: LoopPorts): Spend {
  return {
    iterations: turn.iteration,
    usage: run.usage,
    knownCostUsdMicros: run.knownCostUsdMicros,
    elapsedMs: ports.nowMs() - run.startedAtMs,
  };
}
