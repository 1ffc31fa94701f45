import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { readConfig } from '../../src/config.ts';
import { findCli } from '../../src/temporal/cli.ts';
import type { Target } from '../../src/temporal/connection.ts';
import { ROOT } from '../support/environment.ts';
import { startTestServer } from '../support/server.ts';

/** A Temporal server of the runner's own, with open connections. Must be stopped. */
export interface TemporalServer {
  readonly target: Target;
  /** As the product opens it. */
  readonly connection: Connection;
  /** Takes pages of a history of any size, which gRPC else refuses from 4 MiB on. */
  readonly wideConnection: Connection;
  stop(): Promise<void>;
}

/** Starts a dev server. Downloads of the CLI are kept in `home`, the project's own. */
export async function startTemporalServer(home: string): Promise<TemporalServer> {
  const { PAWL_TEMPORAL_CLI, PAWL_DOWNLOAD } = process.env;
  const settings = readConfig({ PAWL_TEMPORAL_CLI, PAWL_DOWNLOAD }, join(ROOT, 'test'));
  const server = await startTestServer(await findCli({ ...settings, home }, (line) => console.error(line)));
  process.once('exit', server.stop);
  const { address } = server;
  const connection = await Connection.connect({ address });
  const channelArgs = { 'grpc.max_receive_message_length': -1 };
  const wideConnection = await Connection.connect({ address, channelArgs });
  return {
    target: { address, namespace: 'default', connectionOptions: {}, source: 'embedded' },
    connection,
    wideConnection,
    stop: async () => {
      await Promise.all([connection.close(), wideConnection.close()]);
      process.off('exit', server.stop);
      server.stop();
    },
  };
}
