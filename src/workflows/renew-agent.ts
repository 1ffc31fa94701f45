import { log } from '@temporalio/workflow';
import type { Fact } from '../protocol/facts.ts';
import { changedSettings, contextHead } from '../protocol/snapshot.ts';
import { digestBehind, resolveAgent } from './activity-calls.ts';
import { modelAnswerOfFailure } from './failures.ts';
import type { Run } from './run-state.ts';
import { changeHead } from './transcript.ts';
import { showStart } from './visibility.ts';

type AgentChange = Omit<Extract<Fact, { type: 'agent_changed' }>, 'type' | 'turn'>;

/** The settings that the model sees. */
const HEAD_SETTINGS = ['instructions', 'tools', 'output'];

/** Takes the agent as it is deployed now; gives what is new, if anything. Where it can't be had, it stays as it was. */
export async function renewAgent(run: Run, agent: NonNullable<Run['agent']>): Promise<AgentChange | undefined> {
  try {
    const snapshot = await resolveAgent(run.request, agent.snapshot);
    if (!snapshot) return undefined;
    const changed = changedSettings(agent.snapshot, snapshot);
    if (HEAD_SETTINGS.some((setting) => changed.includes(setting))) {
      const head = contextHead(snapshot);
      changeHead(agent.transcript, head, await digestBehind(head, agent.transcript));
    }
    run.agent = { ...agent, snapshot };
    if (changed.length === 0) return undefined;
    showStart(snapshot, run.request);
    return { model: snapshot.model, changed };
  } catch (error) {
    const answer = modelAnswerOfFailure(error);
    if (answer.status === 'failed') log.warn('the agent stays as it was', { message: answer.message });
    return undefined;
  }
}
