// The measuring client: starts runs, waits for their ends, and tells how long that took and what it left in history.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { AgentClient } from '../src/client/agent-client.ts';
import { createDataConverter } from '../src/temporal/data-converter.ts';
import { fromParent, tellParent } from './child-side.ts';
import type { Batch, ClientSetup, Measured } from './client-setup.ts';
import { modelOf } from './job.ts';
import { type LinkSize, linksOf } from './link-sizes.ts';
import { AGENT } from './pawl-worker.ts';

const PROMPT = 'Read all pages.';

const { address, taskQueue, home, system } = await fromParent<ClientSetup>();
const dataConverter = createDataConverter({ storageDir: join(home, 'payloads') });
const connection = await Connection.connect({ address, channelArgs: { 'grpc.max_receive_message_length': -1 } });
const temporal = new Client({ connection, dataConverter });
const agentClient = new AgentClient({ client: temporal, taskQueue });
tellParent({ type: 'ready' });
for (;;) tellParent(await measure(await fromParent<Batch>()));

/** Runs `runs` of the job at once. */
async function measure({ job, runs }: Batch): Promise<Measured> {
  const ids = Array.from({ length: runs }, () => `bench-${randomUUID()}`);
  const startedAt = performance.now();
  const play = system === 'pawl' ? playPawl : playFloor;
  await Promise.all(ids.map((id) => play(id, job)));
  const ms = performance.now() - startedAt;
  const links: LinkSize[] = await linksOf(temporal, ids[0] ?? '');
  return { ms, links };
}

async function playPawl(id: string, job: Batch['job']): Promise<void> {
  const limits = { maxIterations: job.iterations + 1 };
  const request = { agent: AGENT, prompt: PROMPT, model: `anthropic/${modelOf(job)}`, limits };
  const { run } = await agentClient.start(request, { id });
  const { status, text } = await agentClient.result(run);
  if (status !== 'completed') throw new Error(`run ${run} ended as ${status}: ${text}`);
}

async function playFloor(id: string, job: Batch['job']): Promise<void> {
  await temporal.workflow.execute('floorAgent', { taskQueue, workflowId: id, args: [modelOf(job), PROMPT] });
}
