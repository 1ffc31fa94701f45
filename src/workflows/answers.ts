import type { CallModelResult } from '../protocol/activities.ts';
import { assertNever, cutText } from '../protocol/json.ts';
import { MAX_ERROR_TEXT_BYTES, MAX_MALFORMED_ANSWERS, MAX_OUTPUT_CORRECTIONS, MAX_PAUSES } from '../protocol/limits.ts';
import { textOf, userMessage } from '../protocol/messages.ts';
import { afterCalls } from './calls.ts';
import type { LoopPorts, LoopState } from './loop-ports.ts';
import { rollBack, say } from './transcript.ts';
import { completed, failed, pausedTooOften, refused, type TurnEnd } from './turn-end.ts';

const NUDGE = 'Your last answer was empty. Please answer, or say that there is nothing to add.';

/** What the model's answer leads to, by its stop reason: the end of the turn, or undefined to ask again. */
export async function afterAnswer(
  state: LoopState,
  ports: LoopPorts,
  result: CallModelResult,
): Promise<TurnEnd | undefined> {
  const text = result.message ? textOf(result.message) : '';
  switch (result.stopReason) {
    case 'refusal':
    case 'content_filter':
      rollBack(state.transcript, state.turn.start);
      return refused(result.stopReason, result.stopDetails ?? text);
    case 'context_overflow':
      rollBack(state.transcript, state.turn.start);
      return failed('context_overflow', 'The conversation no longer fits into the context of the model.');
    case 'pause_turn':
      if (state.transcript.open.length > 0) return afterCalls(state, ports, result);
      state.turn.pauses++;
      return state.turn.pauses > MAX_PAUSES ? pausedTooOften(state.turn.pauses, text) : undefined;
    case 'malformed_call':
      return afterMalformedCall(state, result.stopDetails);
    case 'max_tokens':
      if (state.transcript.open.length > 0) return afterCalls(state, ports, result);
      return { status: 'truncated', reason: 'truncated', text, textIsAnswer: true };
    case 'tool_use':
      if (state.transcript.open.length > 0) return afterCalls(state, ports, result);
      return failed('malformed_tool_call', 'The model stopped to use a tool, and its answer holds no call.');
    case 'end_turn':
    case 'stop_sequence':
      if (state.transcript.open.length > 0) return afterCalls(state, ports, result);
      if (result.outputProblem !== undefined) return afterUnfitAnswer(state, result.outputProblem);
      if (text === '') return afterEmptyAnswer(state);
      // A task has no next turn that could take what a user has said meanwhile.
      return state.snapshot.mode === 'task' && ports.queued() > 0 ? undefined : completed(text, result.output);
    default:
      return assertNever(result.stopReason);
  }
}

/** An empty answer gets one nudge: models end empty after tool results when they take their work for done. */
function afterEmptyAnswer({ transcript, turn }: LoopState): TurnEnd | undefined {
  if (turn.nudged) return { ...completed(''), emptyAnswer: true };
  turn.nudged = true;
  say(transcript, userMessage(NUDGE));
  return undefined;
}

function afterMalformedCall({ transcript, turn }: LoopState, details = ''): TurnEnd | undefined {
  turn.malformed++;
  const told = cutText(details, MAX_ERROR_TEXT_BYTES);
  if (turn.malformed >= MAX_MALFORMED_ANSWERS) {
    return failed(
      'malformed_tool_call',
      `The model wrote ${turn.malformed} calls that could not be read. ${told}`.trim(),
    );
  }
  say(
    transcript,
    userMessage(`Your tool call could not be read${told && ` (${told})`}. Write it again as valid JSON.`),
  );
  return undefined;
}

/** An answer that does not fit goes back with what is wrong, twice at most. */
function afterUnfitAnswer({ transcript, turn }: LoopState, problem: string): TurnEnd | undefined {
  turn.unfit++;
  const told = cutText(problem, MAX_ERROR_TEXT_BYTES);
  if (turn.unfit > MAX_OUTPUT_CORRECTIONS) {
    return failed('invalid_output', `The answer does not fit the schema of the output: ${told}`);
  }
  say(
    transcript,
    userMessage(`Your answer does not fit the schema that was asked for: ${told}. Answer again with JSON alone.`),
  );
  return undefined;
}
