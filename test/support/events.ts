import type { AgentClient } from '../../src/client/agent-client.ts';

/** All items, once the last one is there. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Resolves when a turn of a run has finished, or the run is over. */
export async function turnFinished(client: AgentClient, run: string, turn: number): Promise<void> {
  for await (const event of client.events(run)) if (event.type === 'turn_finished' && event.turn === turn) return;
}
