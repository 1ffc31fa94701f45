import { log } from '@temporalio/activity';
import type { HookFacts, Observers } from './hooks.ts';

/** Tells observers of a fact. Never throws and never waits. */
export type Observe = <Name extends keyof HookFacts>(name: Name, fact: HookFacts[Name]) => void;

/** Tells first Temporal's logger, then the given observers. The first failure of each hook is logged, later ones are not. */
export function createObserve(observers: Observers): Observe {
  const failed = new Set<string>();
  const report = (name: string) => (error: unknown) => {
    if (failed.has(name)) return;
    failed.add(name);
    log.warn(`hook ${name} failed; its further failures are not logged`, { error });
  };
  return (name, fact) => {
    LOGGING[name]?.(fact);
    tell(() => observers[name]?.(fact), report(name));
  };
}

function tell(call: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    Promise.resolve(call()).catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}

/** Plain attributes only: prompts, inputs and results stay out of logs. */
const LOGGING: Observers = {
  onModelCall: ({ model, messages, turn, iteration }) => log.debug('model call', { model, messages, turn, iteration }),
  onModelResult: ({ result: { model, stopReason, usage }, turn, iteration }) =>
    log.info('model result', { model, stopReason, ...usage, turn, iteration }),
  onToolCall: ({ name, callId, turn, iteration }) => log.debug('tool call', { name, callId, turn, iteration }),
  onToolResult: ({ name, callId, outcome, turn, iteration }) =>
    log.info('tool result', { name, callId, outcome, turn, iteration }),
  onError: ({ name, callId, error, turn, iteration }) =>
    log.info('attempt failed', { name, callId, error, turn, iteration }),
  onDone: ({ result: { status, reason, turns, usage } }) => log.info('run done', { status, reason, turns, ...usage }),
};
