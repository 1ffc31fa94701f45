import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { AgentClient } from '../../src/client/agent-client.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import type { TemporalServer } from './temporal-server.ts';

/** How a case speaks with its runs. */
export interface CaseClients {
  /** Reads histories whatever their size. */
  readonly histories: Client;
  readonly agents: AgentClient;
  /** Where a run stands, in the product's words. */
  stateOf(runId: string): Promise<string>;
  countOpen(runIds: readonly string[]): Promise<number>;
  /** Ends the runs that are still open. */
  terminateOpen(runIds: readonly string[]): Promise<void>;
}

/** Clients on the runner's connection, with the data converter of the case's workers. */
export function openClients(server: TemporalServer, home: string, taskQueue: string): CaseClients {
  const { connection, wideConnection, target } = server;
  const dataConverter = createDataConverter({ storageDir: join(home, 'payloads') });
  const temporal = new Client({ connection, namespace: target.namespace, dataConverter });
  const histories = new Client({ connection: wideConnection, namespace: target.namespace });
  const agents = new AgentClient({ client: temporal, taskQueue });
  const openOf = async (runIds: readonly string[]) => {
    const runs = await Promise.all(runIds.map((id) => temporal.workflow.getHandle(id).describe()));
    return runs.filter((run) => run.status.name === 'RUNNING').map((run) => run.workflowId);
  };
  return {
    histories,
    agents,
    stateOf: async (runId) => (await agents.show(runId)).status,
    countOpen: async (runIds) => (await openOf(runIds)).length,
    terminateOpen: async (runIds) => {
      const open = await openOf(runIds);
      await Promise.all(open.map((id) => temporal.workflow.getHandle(id).terminate('the case is over')));
    },
  };
}
