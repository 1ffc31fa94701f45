// How the results of attempts reach the server.

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { Client, type WorkflowHandle } from '@temporalio/client';
import {
  ApplicationFailure,
  type DataConverter,
  ExternalStorage,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallToolInput, FAILURES, type ToolResult } from '../../src/protocol/activities.ts';
import { createDiskDriver } from '../../src/temporal/disk-driver.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { type ActivityServer, startServer } from './server.ts';

let server: ActivityServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const PayloadType = proto.temporal.api.common.v1.Payload;
const IDENTITY = 'the-worker';
const THRESHOLD_BYTES = 1_000;
const RESULT = 'The weather is fine. '.repeat(THRESHOLD_BYTES / 10);
/** Longer than any test here: a test that ends sooner was not rescued by it. */
const HEARTBEAT_TIMEOUT_MS = 30_000;

/** Turns the bits of all payloads, and keeps what it was told about them. */
class TurningCodec implements PayloadCodec {
  readonly told: unknown[] = [];
  /** So many times a result can't be encoded. */
  failures = 0;

  encode: PayloadCodec['encode'] = async (payloads, context) => {
    this.told.push(context);
    if (payloads.some(({ data }) => textOf(data).includes(RESULT)) && this.failures-- > 0) throw new Error('no key');
    return payloads.map(({ data }) => payloadOf('binary/turned', data));
  };

  decode: PayloadCodec['decode'] = async (payloads) => payloads.map(({ data }) => payloadOf('json/plain', data));
}

function payloadOf(encoding: string, data: Uint8Array | null | undefined): Payload {
  return { metadata: { encoding: Buffer.from(encoding) }, data: data?.map((byte) => byte ^ 0xff) };
}

function textOf(data: Uint8Array | null | undefined): string {
  return Buffer.from(data ?? []).toString();
}

interface Course {
  readonly result: ToolResult;
  readonly handle: WorkflowHandle;
  readonly workflowId: string;
  /** Of the handler. */
  readonly starts: number;
}

/** One call of a tool that has `run` for a handler. */
async function play(run: () => unknown, dataConverter: DataConverter = {}): Promise<Course> {
  let starts = 0;
  const counted = () => {
    starts++;
    return run();
  };
  const probe = { name: 'probe', description: 'a probe', input: { type: 'object' as const }, effect: 'read' as const };
  const [taskQueue, workflowId] = [randomUUID(), randomUUID()];
  const tools = [defineTool({ ...probe, run: counted })];
  const stop = await server.startWorker(taskQueue, { tools, dataConverter, identity: IDENTITY });
  const client = new Client({ connection: server.env.connection, dataConverter });
  const call = { callId: 'c1', input: {}, agent: 'tester', maxResultBytes: 100_000, turn: 1, iteration: 1 };
  const args = ['probe', call satisfies CallToolInput, HEARTBEAT_TIMEOUT_MS];
  const handle = await client.workflow.start('callTool', { taskQueue, workflowId, args });
  const result: ToolResult = await handle.result();
  await stop();
  return { result, handle, workflowId, starts };
}

test('a result goes through the codec into the folder of its run, under the name of its worker', async () => {
  const codec = new TurningCodec();
  const folder = join(server.folder, 'payloads');
  const drivers = [createDiskDriver(folder)];
  const externalStorage = new ExternalStorage({ drivers, payloadSizeThreshold: THRESHOLD_BYTES });
  const { result, handle, workflowId } = await play(() => RESULT, { payloadCodecs: [codec], externalStorage });
  expect(result).toMatchObject({ outcome: 'completed', content: [{ text: RESULT }] });
  const { events } = await handle.fetchHistory();
  const identities = events?.flatMap(({ activityTaskCompletedEventAttributes: end }) => (end ? [end.identity] : []));
  expect(identities).toEqual([IDENTITY]);
  expect(codec.told.filter((context) => Object(context).workflowId !== workflowId)).toEqual([]);
  expect(readdirSync(join(folder, 'default'))).toEqual([workflowId]);
  const ofRun = join(folder, 'default', workflowId);
  const stored = readdirSync(ofRun).map((name) => PayloadType.decode(readFileSync(join(ofRun, name))).data);
  expect(stored.map((data) => textOf(payloadOf('', data).data))).toEqual([expect.stringContaining(RESULT)]);
});

test('a result that the server has given up is delivered by the next attempt, without a second start', async () => {
  const { result, starts } = await play(async () => {
    const lost = ApplicationFailure.create({ type: FAILURES.workerLost, nextRetryDelay: 1 });
    await server.env.client.activity.fail(Context.current().info.taskToken, lost);
    return RESULT;
  });
  expect(result).toMatchObject({ outcome: 'completed', content: [{ text: RESULT }], attempt: 1 });
  expect(starts).toBe(1);
});

test('a result that can’t be encoded fails its attempt, as in any other activity', async () => {
  const codec = new TurningCodec();
  codec.failures = 2; // here, and in the SDK, to which it is left then
  const { result, starts } = await play(() => RESULT, { payloadCodecs: [codec] });
  expect(result).toMatchObject({ outcome: 'completed', attempt: 2 });
  expect(starts).toBe(2);
});
