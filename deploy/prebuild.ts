// Builds the workflow bundle into PAWL_HOME, where a worker of the same sources finds it.

import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import { homeFiles } from '../src/temporal/home-files.ts';
import { workflowBundle } from '../src/temporal/workflow-bundle.ts';

const { home } = readConfig(process.env, join(import.meta.dirname, '..'));
const { codePath } = await workflowBundle(homeFiles(home).bundles);
console.log(codePath);
