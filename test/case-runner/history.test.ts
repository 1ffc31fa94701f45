import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { observeHistory } from './history.ts';

const { History } = temporal.api.history.v1;

const payloads = (text: string) => ({ payloads: [{ data: Buffer.from(text) }] });
const first = History.fromObject({
  events: [
    { activityTaskScheduledEventAttributes: { input: payloads('"an input"') } },
    { workflowTaskFailedEventAttributes: {} },
    { workflowTaskTimedOutEventAttributes: {} },
  ],
});
const second = History.fromObject({
  events: [
    {
      workflowPropertiesModifiedEventAttributes: {
        upsertedMemo: { fields: { secret: { data: Buffer.from('"a longer text"') } } },
      },
    },
  ],
});

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-history-'));
  await mkdir(join(folder, 'payloads', 'run'), { recursive: true });
  await writeFile(join(folder, 'payloads', 'run', 'file'), 'a stored value');
});

afterAll(() => rm(folder, { recursive: true }));

it('counts events by link, failed tasks, and the bytes of the largest payload, wherever it is', async () => {
  const observed = await observeHistory([first, second], join(folder, 'payloads'));
  expect(observed).toMatchObject({ events: [3, 1], taskFailures: 2, largestPayloadBytes: '"a longer text"'.length });
});

it('has the text of all payloads and of what is stored outside the history', async () => {
  const { text } = await observeHistory([first, second], join(folder, 'payloads'));
  for (const part of ['an input', 'a longer text', 'a stored value']) expect(text).toContain(part);
});

it('takes a run without a folder of stored values', async () => {
  const { text } = await observeHistory([first], join(folder, 'none'));
  expect(text).toContain('an input');
});
