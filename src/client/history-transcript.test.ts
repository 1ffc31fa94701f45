import { describe, expect, test } from 'vitest';
import { callBlock, HandMadeHistory, resultOfCall, text } from '../../test/client/hand-made-history.ts';
import { messagesProblem } from '../protocol/check-messages.ts';
import type { Message } from '../protocol/messages.ts';
import { transcriptOf } from './history-transcript.ts';

const said = (value: string): Message => ({ role: 'user', content: [text(value)] });
const answered = (value: string): Message => ({ role: 'assistant', content: [text(value)] });
const results = (...pairs: [callId: string, value: string][]): Message => ({
  role: 'user',
  content: pairs.map(([callId, value]) => ({ type: 'result', callId, content: [text(value)] })),
});

function transcript({ events }: HandMadeHistory): Message[] {
  return transcriptOf('r1', events);
}

describe('the transcript', () => {
  test('has what each model call appended and answered', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'look')], { append: [said('hi')] });
    history.completed(history.schedule('c1', 'look'), resultOfCall('c1', 'seen'));
    history.model([text('done')], { baseLength: 2, append: [results(['c1', 'seen'])], iteration: 2 });
    expect(transcript(history.close())).toEqual([
      said('hi'),
      { role: 'assistant', content: [callBlock('c1', 'look')] },
      results(['c1', 'seen']),
      answered('done'),
    ]);
  });

  test('goes on from what the link was given', () => {
    const lines = [{ instructions: 'Help.', tools: [] }, said('hi'), answered('hello')].map((line) =>
      JSON.stringify(line),
    );
    const history = new HandMadeHistory(2).goOn({}, lines.slice(0, 2).join('\n'), lines.slice(2).join('\n'));
    history.model([text('bye')], { baseLength: 2, append: [said('go')] });
    expect(transcript(history)).toEqual([said('hi'), answered('hello'), said('go'), answered('bye')]);
  });

  test('leaves out a model call that said nothing', () => {
    const history = new HandMadeHistory().begin();
    history.model([], { append: [said('hi')] });
    history.model([text('ah')], { baseLength: 1, append: [said('nudge')], iteration: 2 });
    expect(transcript(history)).toEqual([said('hi'), said('nudge'), answered('ah')]);
  });

  test('forgets a turn that was refused, as the run does', () => {
    const history = new HandMadeHistory().begin();
    history.model([text('hello')], { append: [said('hi')] });
    history.turnFinished();
    history.facts({ type: 'turn_started', turn: 2 });
    history.model([text('no')], { baseLength: 2, append: [said('bad')], stopReason: 'refusal', turn: 2 });
    expect(transcript(history.close())).toEqual([said('hi'), answered('hello')]);
  });

  test('forgets a refused turn after one that failed and was forgotten itself', () => {
    const history = new HandMadeHistory().begin();
    history.model([text('hello')], { append: [said('hi')] });
    history.turnFinished();
    history.facts({ type: 'turn_started', turn: 2 });
    history.model([callBlock('c1', 'look')], { baseLength: 2, append: [said('look')], turn: 2 });
    history.completed(history.schedule('c1', 'look'), resultOfCall('c1', 'too much'));
    history.turnFinished({ turn: 2, status: 'failed', reason: 'too_large' });
    history.facts({ type: 'turn_started', turn: 3 });
    history.model([text('no')], { baseLength: 2, append: [said('bad')], stopReason: 'refusal', turn: 3 });
    expect(transcript(history.close())).toEqual([said('hi'), answered('hello')]);
  });

  test('leaves out an answer that broke off at the end of the window, and not the results that it was given', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'look')], { append: [said('hi')] });
    history.completed(history.schedule('c1', 'look'), resultOfCall('c1', 'seen'));
    const append = [results(['c1', 'seen'])];
    history.model([text('Half an')], { baseLength: 2, append, iteration: 2, stopReason: 'context_overflow' });
    const all = [said('hi'), { role: 'assistant', content: [callBlock('c1', 'look')] }, ...append];
    expect(transcript(history)).toEqual(all);
    history.summary('So far.', { cut: 1, length: 2, turnStart: 1 });
    expect(transcript(history)).toEqual([said('So far.'), ...all.slice(1)]);
    history.model([text('done')], { baseLength: 2, append, iteration: 2 });
    expect(transcript(history.close())).toEqual([said('So far.'), ...all.slice(1), answered('done')]);
  });

  test('does not take the result of an earlier call for that of one whose id a provider has used again', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'look')], { append: [said('hi')] });
    history.completed(history.schedule('c1', 'look'), resultOfCall('c1', 'seen'));
    history.summary('So far.', { cut: 2, length: 2, turnStart: 1 });
    history.model([callBlock('c1', 'look')], { baseLength: 1, iteration: 2 });
    history.schedule('c1', 'look');
    expect(transcript(history)).toHaveLength(2);
  });

  test('goes on from a summary and what was kept, and forgets a refused turn only as far as that', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'look')], { append: [said('hi')] });
    history.completed(history.schedule('c1', 'look'), resultOfCall('c1', 'seen'));
    history.model([callBlock('c2', 'look')], { baseLength: 2, append: [results(['c1', 'seen'])], iteration: 2 });
    history.completed(history.schedule('c2', 'look'), resultOfCall('c2', 'too'));
    history.summary('So far.', { cut: 3, length: 4, turnStart: 1 });
    const kept = [said('So far.'), { role: 'assistant', content: [callBlock('c2', 'look')] } as const];
    expect(transcript(history)).toEqual([...kept, results(['c2', 'too'])]);
    history.model([text('no')], {
      baseLength: 2,
      append: [results(['c2', 'too'])],
      stopReason: 'refusal',
      iteration: 3,
    });
    expect(transcript(history.close())).toEqual([said('So far.')]);
  });

  test('has no results yet while a call runs', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'look'), callBlock('c2', 'look')], { append: [said('hi')] });
    history.completed(history.schedule('c1', 'look'), resultOfCall('c1', 'seen'));
    history.schedule('c2', 'look');
    expect(transcript(history)).toHaveLength(2);
  });

  test('ends with the results of the last calls in the order of the calls', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'look'), callBlock('c2', 'look')], { append: [said('hi')] });
    const [first, second] = [history.schedule('c1', 'look'), history.schedule('c2', 'look')];
    history.completed(second, resultOfCall('c2', 'two'));
    history.completed(first, resultOfCall('c1', 'one'));
    expect(transcript(history).at(-1)).toEqual(results(['c1', 'one'], ['c2', 'two']));
  });

  test('of a run that was ended in the middle answers every call, so that another run can go on from it', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'look'), callBlock('c2', 'pay')], { append: [said('hi')] });
    history.completed(history.schedule('c1', 'look'), resultOfCall('c1', 'one'));
    history.close({ status: 'terminated', reason: '', identity: 'ops' });
    const messages = transcript(history);
    expect(messagesProblem(messages)).toBeUndefined();
    expect(messages.at(-1)).toMatchObject({ content: [{ callId: 'c1' }, { callId: 'c2', isError: true }] });
  });
});
