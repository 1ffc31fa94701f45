#!/usr/bin/env node
// The `pawl` command: client.ts, run from its sources.

import { register } from 'tsx/esm/api';

register();
await import('../client.ts');
