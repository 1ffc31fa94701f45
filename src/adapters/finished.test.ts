import { expect, test } from 'vitest';
import { NO_USAGE } from '../protocol/run.ts';
import { finished } from './finished.ts';

test('a text ends the turn, and nothing was counted', () => {
  expect(finished({ model: 'grey', content: 'Hello.' })).toEqual({
    type: 'finished',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
    stopReason: 'end_turn',
    rawStopReason: 'end_turn',
    model: 'grey',
    usage: NO_USAGE,
  });
});

test('calls wait for their results, and what was counted is told', () => {
  const content = [
    { type: 'text', text: 'Looking.' },
    { type: 'call', callId: 'a', name: 'look', input: {} },
  ] as const;
  const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 2 };
  expect(finished({ model: 'grey', content, usage })).toMatchObject({
    message: { content },
    stopReason: 'tool_use',
    usage,
  });
});

test('an empty text is left out', () => {
  expect(finished({ model: 'grey', content: '' })).toMatchObject({ message: { content: [] }, stopReason: 'end_turn' });
});
