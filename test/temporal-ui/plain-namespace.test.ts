// A namespace that knows nothing of Pawl, such as one of Temporal Cloud before its set-up.

import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import { expect, test, vi } from 'vitest';
import { createDemoAdapter } from '../../src/adapters/demo.ts';
import { defineAgent } from '../../src/agents/agent.ts';
import { historyOf, kindOf } from '../support/histories.ts';
import { withRunWorker } from '../support/run-worker.ts';
import { testTemporal } from '../support/server.ts';

const NAMESPACE = 'plain';
const DAY_MS = 86_400_000;

async function createNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const workflowExecutionRetentionPeriod = msToTs(DAY_MS);
    await connection.workflowService.registerNamespace({ namespace: NAMESPACE, workflowExecutionRetentionPeriod });
    // The server's parts take a new namespace up one after the other, within seconds.
    const ready = () => connection.workflowService.listWorkflowExecutions({ namespace: NAMESPACE });
    await vi.waitFor(ready, { timeout: 30_000, interval: 200 });
  } finally {
    await connection.close();
  }
}

test('in a namespace without the search attributes runs work, with one warning', async () => {
  const logged: LogEntry[] = [];
  Runtime.install({
    logger: new DefaultLogger('WARN', (entry) => logged.push(entry)),
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
  const { address, bundlePath } = testTemporal();
  await createNamespace(address);
  const agents = [defineAgent({ name: 'tester', instructions: 'x', model: 'demo/demo' })];
  const adapters = { demo: async () => createDemoAdapter() };
  const options = { address, bundlePath, namespace: NAMESPACE, agents, adapters };
  await withRunWorker(options, async ({ client, temporal }) => {
    for (const prompt of ['Hello?', 'And again?']) {
      const { run } = await client.start({ agent: 'tester', prompt, tenant: 'acme' });
      expect(await client.result(run)).toMatchObject({ status: 'completed' });
      const kinds = (await historyOf(temporal, run)).map(kindOf);
      expect(kinds).not.toContain('upsertWorkflowSearchAttributes');
      expect(kinds).not.toContain('workflowTaskFailed');
    }
  });
  const warnings = logged.filter(({ message }) => message.includes('search attributes'));
  expect(warnings).toHaveLength(1);
  expect(JSON.stringify(warnings[0]?.meta)).toContain('PawlAgent');
});
