// A run started by what is not ours, and the policies under which its activities run.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { expect, test } from 'vitest';
import { createDemoAdapter } from '../../src/adapters/demo.ts';
import { defineAgent } from '../../src/agents/agent.ts';
import { addNumbers } from '../../src/tools/add-numbers.ts';
import { defineTool, ToolError } from '../../src/tools/tool.ts';
import { lookUpOptions, quickCallOptions } from '../../src/workflows/activity-options.ts';
import { withHarness } from '../support/harness.ts';
import { historyOf } from '../support/histories.ts';
import { asks, says } from '../support/messages.ts';
import { testTemporal } from '../support/server.ts';

/** Runs the temporal CLI and gives what it prints as JSON. */
async function temporalCli(...args: string[]): Promise<Record<string, unknown>> {
  const { temporalCli: cli, address } = testTemporal();
  const { stdout } = await promisify(execFile)(cli, [...args, '--address', address, '--output', 'json']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('the temporal CLI starts a run and reads its result', async () => {
  const agent = defineAgent({ name: 'demo', instructions: 'Be brief.', model: 'test/demo', tools: [addNumbers] });
  await withHarness({ agents: [agent], adapter: createDemoAdapter() }, async ({ taskQueue }) => {
    const input = '{"agent":"demo","prompt":"What is 19 + 23?"}';
    const options = ['--task-queue', taskQueue, '--type', 'agentRun', '--input', input];
    const { workflowId } = await temporalCli('workflow', 'start', ...options);
    const { result, status } = await temporalCli('workflow', 'result', '--workflow-id', String(workflowId));
    expect(status).toBe('COMPLETED');
    expect(result).toMatchObject({ status: 'completed', text: '19 + 23 = 42.' });
  });
});

test('every activity has a bound for its attempts and its time', async () => {
  const input = { type: 'object' } as const;
  const base = { description: 'For the policies.', input };
  const fail = () => {
    throw new ToolError('no');
  };
  const tools = [
    defineTool({ ...base, name: 'read_it', effect: 'read', run: () => 'ok' }),
    defineTool({ ...base, name: 'set_it', effect: 'idempotent', maxAttempts: 7, run: fail }),
    defineTool({ ...base, name: 'pay_it', effect: 'once', run: () => 'paid' }),
    defineTool({ ...base, name: 'quick_it', effect: 'read', quick: true, run: () => 'ok' }),
  ];
  const agent = defineAgent({ name: 'tester', instructions: 'x', model: 'anthropic/claude-fake-1', tools });
  const responses = [asks(...tools.map(({ name }) => [name] as const)), says('Done.')];
  await withHarness({ agents: [agent], model: { responses } }, async ({ client, temporal }) => {
    const { run } = await client.start({ agent: 'tester', prompt: 'Go.' });
    await client.result(run);
    const scheduled = (await historyOf(temporal, run)).flatMap(
      (event) => event.activityTaskScheduledEventAttributes ?? [],
    );
    const types = scheduled.map(({ activityType }) => activityType?.name);
    expect(types).toEqual(['pawl.callModel', ...tools.map(({ name }) => name), 'pawl.callModel']);
    for (const { retryPolicy, startToCloseTimeout, heartbeatTimeout } of scheduled) {
      expect(retryPolicy?.maximumAttempts).toBeGreaterThan(0);
      expect(tsToMs(retryPolicy?.maximumInterval)).toBeGreaterThan(0);
      expect(tsToMs(startToCloseTimeout)).toBeGreaterThan(0);
      expect(tsToMs(heartbeatTimeout)).toBeGreaterThan(0);
    }
    const once = scheduled.find(({ activityType }) => activityType?.name === 'pay_it');
    expect(once?.retryPolicy?.maximumAttempts).toBe(1);
  });
});

test('every activity inside the workflow task has such bounds too', () => {
  for (const { retry, startToCloseTimeout } of [lookUpOptions(), quickCallOptions('summary')]) {
    expect(retry?.maximumAttempts).toBeGreaterThan(0);
    expect(startToCloseTimeout).toBeGreaterThan(0);
  }
});
