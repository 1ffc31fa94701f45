// What the handlers of a case do: one function for each word of `behaviour.do`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInThisContext } from 'node:vm';
import { content, image, type ToolContent } from '../../src/tools/content.ts';
import type { ToolCall } from '../../src/tools/tool.ts';
import type { Behaviour, Json, JsonMap } from './case-format.ts';
import { imageBytes } from './images.ts';
import { report } from './reports.ts';

type Handler = (behaviour: Behaviour, input: JsonMap, call: ToolCall) => unknown;

/** The handlers by their word. */
export const BEHAVIOURS: Readonly<Record<string, Handler>> = {
  return: ({ value }) => value,
  return_js: ({ expr }) => evaluate(expr),
  throw: (behaviour) => {
    throw errorOf(behaviour);
  },
  throw_js: ({ expr }) => {
    throw evaluate(expr);
  },
  echo_input: (_, input) => input,
  sum_inputs: (_, input) =>
    Object.values(input).reduce<number>((sum, one) => sum + (typeof one === 'number' ? one : 0), 0),
  sleep_then_return: async ({ ms, value }, _, call) => {
    await sleep(Number(ms), undefined, { signal: call.signal });
    return value;
  },
  sleep_from_input_then_echo: async ({ field }, input, call) => {
    await sleep(Number(input[String(field)]), undefined, { signal: call.signal });
    return input;
  },
  sleep_then_throw: async (behaviour, _, call) => {
    await sleep(Number(behaviour['ms']), undefined, { signal: call.signal });
    throw errorOf(behaviour);
  },
  sleep_with_progress: sleepWithProgress,
  generate_text: generateText,
  generate_image: ({ actual, declared, raw_bytes: bytes }) =>
    image(String(declared), imageBytes(String(actual), Number(bytes))),
  return_blocks: ({ blocks }) => content(...(blocks as JsonMap[]).map(contentOf)),
  spawn_child_and_wait: spawnChildAndWait,
  effect_then_throw: (behaviour) => {
    report({ type: 'effect' });
    throw errorOf(behaviour);
  },
  keyed_effect_then_kill_worker_on_first_attempt: ({ value }, _, call) => {
    report({ type: 'effect', key: call.idempotencyKey });
    if (call.attempt === 1) process.kill(process.pid, 'SIGKILL');
    return value ?? 'ok';
  },
  hang_until_abort: async (_, __, call) => {
    if (!call.signal.aborted) await once(call.signal, 'abort');
    throw call.signal.reason;
  },
  hang_ignore_abort: () => new Promise(() => undefined),
};

/** Does what the word of the behaviour says. Throws where no handler has that word. */
export function behave(behaviour: Behaviour, input: JsonMap, call: ToolCall): unknown {
  const handler = BEHAVIOURS[behaviour.do];
  if (handler === undefined) throw new Error(`unknown behaviour: ${behaviour.do}`);
  return handler(behaviour, input, call);
}

function evaluate(expr: Json | undefined): unknown {
  return runInThisContext(`(${expr})`);
}

function errorOf({ message, code }: Behaviour): Error {
  const error = new Error(String(message ?? ''));
  return code === undefined ? error : Object.assign(error, { code });
}

function generateText({ chars, prefix = '', suffix = '' }: Behaviour): string {
  const filler = 'All work and no play makes a dull text. ';
  const room = Number(chars) - String(prefix).length - String(suffix).length;
  return `${prefix}${filler.repeat(Math.ceil(room / filler.length)).slice(0, Math.max(room, 0))}${suffix}`;
}

/** A block in the words of MCP, as the product's own content; kinds that are neither text nor image as their JSON. */
function contentOf(block: JsonMap): string | ToolContent {
  if (block['type'] === 'text') return String(block['text']);
  if (block['type'] === 'image') return image(String(block['mimeType']), Buffer.from(String(block['data']), 'base64'));
  return JSON.stringify(block);
}

async function sleepWithProgress(behaviour: Behaviour, _: JsonMap, call: ToolCall): Promise<unknown> {
  const end = performance.now() + Number(behaviour['ms']);
  while (performance.now() < end) {
    call.heartbeat();
    await sleep(Number(behaviour['progress_every_ms'] ?? 1_000), undefined, { signal: call.signal });
  }
  return behaviour['value'] ?? 'ok';
}

async function spawnChildAndWait({ argv }: Behaviour, _: JsonMap, call: ToolCall): Promise<string> {
  const [command = '', ...args] = (argv as Json[]).map(String);
  const child = spawn(command, args, { stdio: 'ignore', signal: call.signal });
  if (child.pid !== undefined) report({ type: 'child', pid: child.pid });
  const [code] = await once(child, 'exit');
  return `exit ${code}`;
}
