import { describe, expect, it } from 'vitest';
import { armEvents, type Trigger } from './armed-events.ts';
import type { CaseEvent } from './case-format.ts';

const event: CaseEvent = { on: 'tool_started', tool: 'slow', nth: 2, do: 'cancel_run' };
const atOnce: Trigger = () => Promise.resolve();
const never: Trigger = (_, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('an armed event', () => {
  it('does its deed when its moment comes', async () => {
    const done: CaseEvent[] = [];
    const armed = armEvents([event], atOnce, async (one) => {
      done.push(one);
    });
    expect(await armed.settle()).toEqual([]);
    expect(done).toEqual([event]);
  });

  it('is a fault when its moment never comes', async () => {
    const armed = armEvents([event], never, async () => undefined);
    expect(await armed.settle()).toEqual(['the event never came: tool_started slow (2)']);
  });

  it('is a fault when its deed fails', async () => {
    const armed = armEvents([event], atOnce, () => Promise.reject(new Error('refused')));
    expect(await armed.settle()).toEqual(['cancel_run failed: refused']);
  });
});
