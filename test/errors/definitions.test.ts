// Faults in what users write: all at once, with the file, and never a worker that hangs or tries for ever.

import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { isolatedEnvironment } from '../support/environment.ts';
import { testTemporal } from '../support/server.ts';
import { expectDocumented } from './documented.ts';
import { copyProject, newHome, type Project } from './project.ts';

const BAD_TOOL = `
import { defineTool } from './tool.ts';
const odd = { name: '', description: '', input: { type: 'string' }, effect: 'sometimes', timeoutMs: -1 } as never;
export const bad = defineTool(odd);
`;
const BAD_AGENT = `
import { defineAgent } from './agent.ts';
const odd = { name: '', instructions: 3, model: '', limits: { maxIterations: 0, maxMoney: 1 } } as never;
export const agents = () => [defineAgent(odd)];
`;
const DOUBLE_NAME = `
import { addNumbers } from '../tools/add-numbers.ts';
import { defineTool } from '../tools/tool.ts';
import { defineAgent } from './agent.ts';
const input = { type: 'object' };
const other = defineTool({ name: 'add_numbers', description: 'Another.', input, effect: 'read', run: () => 1 });
export const agents = () => [
  defineAgent({ name: 'demo', instructions: '', model: 'demo', tools: [addNumbers, other] }),
];
`;

let home: string;
let env: NodeJS.ProcessEnv;
let project: Project;
beforeAll(() => {
  home = newHome();
  const { address, temporalCli } = testTemporal();
  env = isolatedEnvironment({ PAWL_HOME: home, TEMPORAL_ADDRESS: address, PAWL_TEMPORAL_CLI: temporalCli });
});
afterAll(() => rmSync(home, { recursive: true }));
beforeEach(() => {
  project = copyProject();
});
afterEach(() => project.remove());

it('an invalid tool', async () => {
  project.write('src/tools/bad.ts', BAD_TOOL);
  project.write('src/agents/index.ts', "import '../tools/bad.ts';\nexport const agents = () => [];\n");
  const ended = await project.start(env, 'worker').finished;
  expectDocumented('an invalid tool', ended);
  expect(ended.stderr).toContain('src/tools/bad.ts:4');
  for (const field of ['name', 'description', 'effect', 'timeoutMs', 'input']) {
    expect(ended.stderr).toContain(`\n- ${field} must be `);
  }
});

it('an invalid agent', async () => {
  project.write('src/agents/index.ts', BAD_AGENT);
  const ended = await project.start(env, 'worker').finished;
  expectDocumented('an invalid agent', ended);
  expect(ended.stderr).toContain('src/agents/index.ts:4');
  for (const field of ['name', 'instructions', 'model', 'limits.maxIterations', 'limits.maxMoney']) {
    expect(ended.stderr).toContain(`\n- ${field} `);
  }
});

it('two tools of one name', async () => {
  project.write('src/agents/index.ts', DOUBLE_NAME);
  const ended = await project.start(env, 'worker').finished;
  expectDocumented('two tools of one name', ended);
  expect(ended.stderr).toContain('- two tools are named "add_numbers": "Adds two numbers." and "Another."');
});

it('an invalid definition in the background', async () => {
  project.write('src/agents/index.ts', BAD_AGENT);
  const own = { ...env, TEMPORAL_ADDRESS: '' };
  const ended = await project.start(own, 'run', 'Hi').finished;
  expect((await project.start(own, 'down').finished).code).toBe(0);
  expectDocumented('an invalid definition in the background', ended);
  expect(ended.stderr).toContain('\n- limits.maxMoney is no limit');
});
