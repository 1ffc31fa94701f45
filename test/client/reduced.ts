// What a reducer makes of histories made by hand.

import { createReducer } from '../../src/client/history-events.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { callBlock, HandMadeHistory, resultOfCall, text } from './hand-made-history.ts';

/** The events of a run of these links. */
export function eventsOf(...histories: HandMadeHistory[]): RunEvent[] {
  return histories.flatMap(({ events }) => {
    const reducer = createReducer('r1');
    return events.flatMap((event) => reducer.push(event));
  });
}

/** What they are called, in order. */
export function typesOf(...histories: HandMadeHistory[]): string[] {
  return eventsOf(...histories).map(({ type }) => type);
}

/** Those of one type. */
export function only<Type extends RunEvent['type']>(events: readonly RunEvent[], type: Type) {
  return events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
}

/** A run with calls of every kind, two turns, and a message that comes while it works. */
export function busyHistory(): HandMadeHistory {
  const history = new HandMadeHistory().begin();
  history.model([text('let me see'), callBlock('c1', 'look', { at: 'a' }), callBlock('c2', 'nope')], {
    verdicts: [{ status: 'ok' }, { status: 'unknown_tool', text: 'no such tool' }],
    attempt: 2,
  });
  const look = history.schedule('c1', 'look', { at: 'a' });
  send(history, 'q1', 'and b?');
  history.completed(look, resultOfCall('c1', 'seen'), 3);
  history.model([callBlock('c3', 'time')], { iteration: 2 });
  history.add({ type: 'task_started' });
  history.local('time', { status: 'completed', result: resultOfCall('c3', 'noon') });
  history.model([text('done')], { iteration: 3 });
  history.turnFinished({ queued: 1 });
  history.facts({ type: 'turn_started', turn: 2 });
  history.model([text('bye')], { turn: 2 });
  history.turnFinished({ turn: 2 });
  return history.close();
}

/** A message of the user is taken. */
export function send(history: HandMadeHistory, requestId: string, prompt: string): void {
  history.add({ type: 'update_accepted', updateId: requestId, update: { name: 'send', input: { requestId, prompt } } });
}
