import { log } from '@temporalio/activity';
import { GATE_TIMEOUT_MS } from '../protocol/limits.ts';
import type { GateAnswer, Hooks, ToolCallFact } from './hooks.ts';

/** Why a call may not run. */
interface Denial {
  readonly reason: string;
}

/** Asks the gate about a call; undefined lets it run. It fails closed and never throws. */
export type AskGate = (call: ToolCallFact) => Promise<Denial | undefined>;

const CHECK_FAILED: Denial = { reason: 'policy check failed' };

/** The gate of the given hooks. Without one everything may run. */
export function createGate(hooks: Pick<Hooks, 'beforeTool'>, timeoutMs = GATE_TIMEOUT_MS): AskGate {
  if (!hooks.beforeTool) return async () => undefined;
  return async (call) => {
    try {
      return denialOf(await withTimeout(async () => hooks.beforeTool?.(call), timeoutMs));
    } catch (error) {
      log.warn('the gate failed, so the call is denied', { name: call.name, callId: call.callId, error });
      return CHECK_FAILED;
    }
  };
}

/** The answer comes from a user's code, which need not be typed: only a plain `allow: true` allows. */
function denialOf(answer: GateAnswer | undefined): Denial | undefined {
  if (answer && 'deny' in answer) return { reason: String(answer.reason || 'no reason was given') };
  if (answer?.allow === true) return undefined;
  throw new TypeError('the gate must answer { allow: true } or { deny: true, reason }');
}

async function withTimeout<T>(ask: () => Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the gate gave no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
  }
}
