import { isMessageAnswer } from './answers.ts';
import { opFailure } from './check-ops.ts';
import { type Checked, valueAt } from './paths.ts';
import { messageOf } from './sse.ts';
import { isObject } from './wire.ts';

/** One check on recorded requests, in the words of the case format. */
export interface Check {
  /** Number of the request, negative from the end; `each`: all of them; `any`: at least one. */
  readonly request: number | 'each' | 'any';
  readonly path: string;
  readonly op: string;
  readonly value?: unknown;
}

/** What some ops need besides the request. */
export interface CheckContext {
  /** The case's answers, for `deep_equals_response`. */
  readonly responses?: readonly unknown[];
  /** Wire name of a tool given as `server/tool`. */
  readonly wireName?: (tool: string) => string;
}

/** Runs checks over recorded requests; every failure is told in words. Throws on a path or op that does not exist. */
export function runChecks(
  checks: readonly Check[],
  requests: readonly Checked[],
  responses: readonly unknown[] = [],
  wireName?: (tool: string) => string,
): string[] {
  return checks.flatMap((check) => failuresOf(check, requests, { responses, wireName }));
}

function failuresOf(check: Check, requests: readonly Checked[], context: CheckContext): readonly string[] {
  const { request: which } = check;
  if (which !== 'each' && which !== 'any') {
    const number = which < 0 ? requests.length + which : which;
    const request = requests[number];
    if (!request) return [`request ${which}: there are only ${requests.length} requests (${check.path} ${check.op})`];
    return failures([[number, checkFailure(check, request, context)]]);
  }
  if (requests.length === 0) return [`request ${which}: there are no requests (${check.path} ${check.op})`];
  const results = requests.map((request, at): Result => [at, checkFailure(check, request, context)]);
  if (which === 'any' && results.some(([, failure]) => failure === undefined)) return [];
  return failures(results);
}

type Result = readonly [number: number, failure: string | undefined];

function failures(results: readonly Result[]): readonly string[] {
  return results.flatMap(([at, failure]) => (failure === undefined ? [] : [`request ${at}: ${failure}`]));
}

/** Why a check does not hold for one request, or undefined where it holds. */
export function checkFailure(
  { path, op, value }: Omit<Check, 'request'>,
  request: Checked,
  { responses = [], wireName }: CheckContext = {},
): string | undefined {
  const actual = valueAt(path, request);
  const failure = opFailure(op, actual, expectedOf(op, value, request, responses, wireName));
  return failure === undefined ? undefined : `${path} ${failure}`;
}

function expectedOf(
  op: string,
  value: unknown,
  request: Checked,
  responses: readonly unknown[],
  wireName: CheckContext['wireName'],
): unknown {
  if (op === 'equals_path') return valueAt(String(value), request);
  if (op === 'deep_equals_response') return contentOf(responses[Number(value)]);
  if (op !== 'contains_wire_name' && op !== 'not_contains_wire_name') return value;
  if (!wireName) throw new Error(`${op} needs the wire names`);
  return wireName(String(value));
}

/** The content of a scripted answer, whether given as a message or as events. Throws where it has none. */
function contentOf(answer: unknown): unknown {
  if (isMessageAnswer(answer)) return answer.content;
  if (isObject(answer) && Array.isArray(answer['sse_events'])) return messageOf(answer['sse_events']).content;
  throw new Error('the answer to compare with is no message');
}
