// Ends with 0 where a worker of this host takes work, as the server sees it; else with 1 and the reason on stderr.

import { hostname } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { readConfig } from '../src/config.ts';
import { configuredTarget, connectClient } from '../src/temporal/connection.ts';

const { TASK_QUEUE_TYPE_WORKFLOW } = proto.temporal.api.enums.v1.TaskQueueType;

/** An idle poll lasts a minute, so a worker that lives was seen within two. */
const FRESH_MS = 120_000;
/** The answer takes milliseconds; the image gives the whole check 30 seconds. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Workers are told apart by their identity, which ends with the host's name: a container's own. */
async function isPolling(client: Client, taskQueue: string): Promise<boolean> {
  const { namespace } = client.options;
  const queue = { namespace, taskQueue: { name: taskQueue }, taskQueueType: TASK_QUEUE_TYPE_WORKFLOW };
  const { pollers } = await client.workflowService.describeTaskQueue(queue);
  const ours = (pollers ?? []).filter(({ identity }) => identity?.endsWith(`@${hostname()}`));
  return ours.some(({ lastAccessTime }) => lastAccessTime && Date.now() - tsToMs(lastAccessTime) < FRESH_MS);
}

async function check(): Promise<void> {
  const { taskQueue, temporalEnv } = readConfig(process.env, join(import.meta.dirname, '..'));
  const target = configuredTarget({ temporalEnv });
  if (target === undefined) throw new Error('TEMPORAL_ADDRESS is not set');
  const connection = await connectClient(target);
  try {
    const client = new Client({ connection, namespace: target.namespace });
    const deadline = Date.now() + ANSWER_TIMEOUT_MS;
    if (await client.withDeadline(deadline, () => isPolling(client, taskQueue))) return;
    throw new Error(`no worker of this host polls the queue ${taskQueue}`);
  } finally {
    await connection.close();
  }
}

try {
  await check();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
