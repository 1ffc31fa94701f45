import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEventType } from '../protocol/events.ts';
import { compareCursors, formatCursor, indexer, parseCursor } from './cursor.ts';

const part = fc.integer({ min: 0, max: 999_999_999 });
const cursor = fc.tuple(part, part, part);

test('a cursor is read as it was written', () => {
  fc.assert(
    fc.property(cursor, (place) => {
      expect(parseCursor(formatCursor(place))).toEqual(place);
    }),
  );
});

test.each(['', '1', '1.2', '1.2.3.4', '1.2.-3', 'a.b.c', '1.2.3\n', '1.2.99999999999'])('%j is no cursor', (text) => {
  expect(parseCursor(text)).toBeUndefined();
});

test('cursors are ordered by link, then event, then index', () => {
  expect(compareCursors([1, 9, 9], [2, 1, 1])).toBeLessThan(0);
  expect(compareCursors([1, 10, 1], [1, 9, 9])).toBeGreaterThan(0);
  expect(compareCursors([1, 2, 3], [1, 2, 3])).toBe(0);
});

test('indexes grow strictly, whatever the order of the types', () => {
  const type = fc.constantFrom<RunEventType>('model_result', 'assistant_text', 'tool_call', 'tool_result', 'usage');
  fc.assert(
    fc.property(fc.array(type), (types) => {
      const indexOf = indexer();
      const indexes = types.map((each) => indexOf(each));
      expect(indexes).toEqual([...new Set(indexes)].sort((a, b) => a - b));
    }),
  );
});

test('the place of an event is not moved by another type that comes between', () => {
  const [without, within] = [indexer(), indexer()];
  without('model_result');
  within('model_result');
  within('assistant_text');
  expect(within('tool_result')).toBe(without('tool_result'));
});
