// What the workflow alone knows, and has written into its history.

import type { Fact } from '../protocol/facts.ts';
import { assertNever } from '../protocol/json.ts';
import type { Emit } from './event-emitter.ts';
import { flushVerdicts } from './reduce-activities.ts';
import type { RunView } from './run-view.ts';

type Of<Type extends Fact['type']> = Extract<Fact, { type: Type }>;

/** One fact. */
export function onFact(view: RunView, fact: Fact, emit: Emit): void {
  switch (fact.type) {
    case 'turn_started':
      view.turn = fact.turn;
      view.iteration = 0;
      view.turnIsOpen = true;
      view.lastText = '';
      emit({ type: 'turn_started', turn: fact.turn });
      break;
    case 'agent_changed': {
      const { turn, model, changed } = fact;
      view.snapshot = view.lookedUp ?? view.snapshot;
      emit({ type: 'agent_changed', turn, model, changed });
      break;
    }
    case 'call_skipped':
      onSkipped(view, fact, emit);
      break;
    case 'model_fallback': {
      const { turn, iteration, from, to, reason } = fact;
      emit({ type: 'model_fallback', turn, iteration, from, to, reason });
      break;
    }
    case 'compaction_failed': {
      const { turn, iteration, reason, text } = fact;
      emit({ type: 'compaction_failed', turn, iteration, reason, text });
      break;
    }
    case 'limit_reached': {
      flushVerdicts(view, emit);
      const { turn, iteration, limit, value, spent, lastState } = fact;
      emit({ type: 'limit_reached', turn, iteration, limit, value, spent, lastState });
      break;
    }
    case 'turn_finished':
      onTurnFinished(view, fact, emit);
      break;
    default:
      assertNever(fact);
  }
}

function onSkipped(view: RunView, { turn, iteration, callId, text }: Of<'call_skipped'>, emit: Emit): void {
  const open = view.open.get(callId);
  if (!open) return;
  view.open.delete(callId);
  emit({
    type: 'tool_result',
    turn,
    iteration,
    callId,
    name: open.call.name,
    outcome: 'skipped',
    isError: true,
    output: [{ type: 'text', text }],
    attempts: 0,
    durationMs: 0,
  });
}

function onTurnFinished(view: RunView, fact: Of<'turn_finished'>, emit: Emit): void {
  const { turn, status, reason, iterations, emptyAnswer, queued } = fact;
  flushVerdicts(view, emit);
  view.turn = turn;
  view.turnIsOpen = false;
  emit({
    type: 'usage',
    turn,
    usage: { turn: fact.usage, total: view.usage },
    costUsdMicros: { turn: fact.costUsdMicros, total: view.costUsdMicros },
  });
  const text = fact.text ?? view.lastText;
  if (text) emit({ type: 'final_text', turn, text });
  emit({ type: 'turn_finished', turn, status, reason, iterations, emptyAnswer, queued });
}
