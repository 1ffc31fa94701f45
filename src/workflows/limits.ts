import type { LastState, LimitName, Reason, Usage } from '../protocol/run.ts';
import { totalTokens } from '../protocol/run.ts';
import type { ResolvedLimits } from '../protocol/snapshot.ts';

/** What a run has used up so far. */
export interface Spend {
  readonly iterations: number;
  readonly usage: Usage;
  /** Of the model calls whose price is known. */
  readonly knownCostUsdMicros: number;
  readonly elapsedMs: number;
}

/** A limit that is used up: which, its value, and what was spent, both in the limit's own unit. */
export interface LimitStop {
  readonly limit: LimitName;
  readonly reason: Reason;
  readonly value: number;
  readonly spent: number;
}

/** The first limit that forbids another model call, or undefined. */
export function limitBeforeModelCall(limits: ResolvedLimits, spend: Spend): LimitStop | undefined {
  if (spend.iterations >= limits.maxIterations) {
    return {
      limit: 'maxIterations',
      reason: 'iteration_limit',
      value: limits.maxIterations,
      spent: spend.iterations,
    };
  }
  return limitBeforeCalls(limits, spend);
}

/** The first limit that forbids running calls, or undefined. An iteration that has begun may finish. */
export function limitBeforeCalls(limits: ResolvedLimits, spend: Spend): LimitStop | undefined {
  const budgets = [
    ['maxTotalTokens', 'token_limit', totalTokens(spend.usage)],
    ['maxCostUsdMicros', 'cost_limit', spend.knownCostUsdMicros],
    ['maxDurationMs', 'time_limit', spend.elapsedMs],
  ] as const;
  for (const [limit, reason, spent] of budgets) {
    const value = limits[limit];
    if (value !== undefined && spent >= value) return { limit, reason, value, spent };
  }
  return undefined;
}

/** For example `Stopped: 10 iterations used (limit 10). Spent 4 310 tokens. Last: get_weather failed: no such city.` */
export function limitSentence(stop: LimitStop, spend: Spend, last: LastState): string {
  const spent = `Spent ${counted(totalTokens(spend.usage), 'token')}${inMoney(spend.knownCostUsdMicros)}.`;
  return `Stopped: ${amount(stop.limit, stop.spent)} used (limit ${limitValue(stop)}). ${spent} ${lastSentence(last)}`;
}

/** What happened last: a call (those that failed come first), else the model's text. */
function lastSentence(last: LastState): string {
  const call = last.lastCalls[0];
  if (call) return `Last: ${call.name} ${call.outcome}${call.detail ? `: ${call.detail}` : ''}`;
  return last.text ? `Last: ${last.text}` : 'Last: nothing yet.';
}

function amount(limit: LimitName, spent: number): string {
  switch (limit) {
    case 'maxIterations':
      return counted(spent, 'iteration');
    case 'maxCallsPerIteration':
      return counted(spent, 'call');
    case 'maxTotalTokens':
      return counted(spent, 'token');
    case 'maxCostUsdMicros':
      return dollars(spent);
    case 'maxDurationMs':
      return `${grouped(Math.round(spent / 1000))} s`;
  }
}

function limitValue({ limit, value }: LimitStop): string {
  if (limit === 'maxCostUsdMicros' || limit === 'maxDurationMs') return amount(limit, value);
  return grouped(value);
}

function inMoney(usdMicros: number): string {
  return usdMicros > 0 ? `, ${dollars(usdMicros)}` : '';
}

function dollars(micros: number): string {
  return `$${(micros / 1_000_000).toFixed(4)}`;
}

function counted(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** 4310 → `4 310`. Written by hand, since the sandbox may lack the locale data. */
function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ' ');
}
