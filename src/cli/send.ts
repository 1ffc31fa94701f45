import { randomUUID } from 'node:crypto';
import type { RunEvent } from '../protocol/events.ts';
import type { Cli } from './cli.ts';
import { conclude } from './conclude.ts';
import type { ExitCode } from './exit-codes.ts';
import { follow } from './follow.ts';
import { UsageError } from './usage-error.ts';
import { withConnection } from './with-connection.ts';

/** `send`: gives a message to an open chat, and follows the run until it has answered everything that waited. */
export function send(cli: Cli, run: string, text: readonly string[]): Promise<ExitCode> {
  const prompt = text.join(' ');
  if (prompt.trim() === '') throw new UsageError('The text is empty. Say what is to be sent.');
  return withConnection(cli, 'server_and_worker', async ({ client }) => {
    const requestId = randomUUID();
    await client.send(run, prompt, { requestId });
    const ending = await follow(cli, client, {
      run,
      format: 'text',
      from: (event) => event.type === 'user_message' && event.requestId === requestId,
      until: answeredAll,
    });
    return conclude(cli, run, ending);
  });
}

function answeredAll(event: RunEvent): boolean {
  return event.type === 'turn_finished' && event.queued === 0;
}
