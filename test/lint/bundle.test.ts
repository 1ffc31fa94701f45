// What runs in the sandbox: anything else in the bundle would break workers, or their replays, at a user's place.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testTemporal } from '../support/server.ts';

/** Temporal's own parts, and what they bring along. */
const PACKAGES = ['@temporalio/common', '@temporalio/workflow', 'long', 'ms', 'nexus-rpc'];
const FOLDERS = ['src/protocol', 'src/workflows'];

/**
 * Where each module of a bundle comes from: a package, or a folder of ours; any other module by its whole name.
 * A name with a question mark stands for an optional module that is not there.
 */
function originsOf(bundle: string): Set<string> {
  const modules = [...bundle.matchAll(/^\/\*{3}\/ "([^"]+)"/gm)].map(([, id = '']) => id);
  return new Set(modules.filter((id) => !id.startsWith('?')).map(originOf));
}

function originOf(module: string): string {
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(module);
  return inPackage?.[1] ?? /^\.\/(src\/[^/]+)\//.exec(module)?.[1] ?? module;
}

test('the workflow bundle holds protocol, workflows and the workflow SDK, and nothing else', () => {
  const origins = originsOf(readFileSync(testTemporal().bundlePath, 'utf8'));
  expect([...origins].sort()).toEqual([...PACKAGES, ...FOLDERS].sort());
});

test('a package, a Node module and a foreign folder in a bundle would be seen', () => {
  const ids = [
    './node_modules/@anthropic-ai/sdk/index.js',
    './node_modules/a/node_modules/zod/x.js',
    'node:fs',
    './src/tools/tool.ts',
  ];
  const bundle = ids.map((id) => `/***/ "${id}"\n/***/ (() => {})\n`).join('\n');
  expect([...originsOf(bundle)]).toEqual(['@anthropic-ai/sdk', 'zod', 'node:fs', 'src/tools']);
});
