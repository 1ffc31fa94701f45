import type { AgentClient } from '../client/agent-client.ts';
import type { Config } from '../config.ts';
import type { Target } from '../temporal/connection.ts';
import type { Terminal } from './terminal.ts';

/** What commands need of {@link AgentClient}. */
export type Runs = Pick<
  AgentClient,
  'start' | 'events' | 'transcript' | 'send' | 'close' | 'cancel' | 'show' | 'list' | 'waitForWorker'
>;

/** A server that answers, and the client of its runs. Must be closed. */
export interface Connected {
  readonly client: Runs;
  readonly config: Config;
  readonly target: Target;
  close(): Promise<void>;
}

/**
 * What a command needs to be up. Pawl starts what is missing: the embedded server, and a background worker unless the
 * server is a configured one, whose workers are somebody else's concern.
 */
export type Needs = 'server' | 'server_and_worker';

/** What every command is given. What costs time is a function, and is paid by the commands that call it. */
export interface Cli {
  readonly terminal: Terminal;
  /** What the user types to call us, for hints: `pawl`, or in the repository `npm run -s pawl --`. */
  readonly pawl: string;
  /** Folder of the project: what runs in it, `.env` and the sources. */
  readonly root: string;
  /** The checked configuration. Throws `ConfigError`. */
  config(): Promise<Config>;
  /** Starts what is missing, with a note about each download. Throws where no server answers. */
  connect(needs: Needs): Promise<Connected>;
  /** A connection to this server, as it is. Throws where it does not answer. */
  open(target: Target): Promise<Connected>;
  /** Calls the listener at the first Ctrl-C, instead of ending the process. The function it gives back ends that. */
  onInterrupt(listener: () => void): () => void;
}
