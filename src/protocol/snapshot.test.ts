import { expect, test } from 'vitest';
import { aSnapshot, aTool } from '../../test/support/loop-fakes.ts';
import { changedSettings } from './snapshot.ts';

test('the settings that differ are named, and nothing of the worker or what follows from them', () => {
  const before = aSnapshot({ modelOptions: { a: 1 } });
  const after = aSnapshot({
    instructions: 'Sing.',
    tools: [aTool('look')],
    compaction: { contextWindowTokens: 9_000 },
    digest: 'other',
    hash: 'other',
    onDone: true,
    maxPayloadBytes: 1,
  });
  expect(changedSettings(before, before)).toEqual([]);
  expect(changedSettings(before, after)).toEqual(['compaction', 'instructions', 'modelOptions', 'tools']);
});
