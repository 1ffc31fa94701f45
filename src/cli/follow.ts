import type { RunEvent } from '../protocol/events.ts';
import type { Status } from '../protocol/run.ts';
import type { Cli, Runs } from './cli.ts';
import { printableJson } from './printable.ts';
import { printEvent } from './printer.ts';
import { inReadingOrder } from './reading-order.ts';
import type { Terminal } from './terminal.ts';

/** For a person, or the events as JSON, one a line. */
export type Format = 'text' | 'json';

/** What is followed, and how far. */
export interface Following {
  readonly run: string;
  readonly format: Format;
  /** Cursor after which to begin. Default: the beginning. */
  readonly after?: string;
  /** Events before the first that fits are left out. Default: none is. */
  readonly from?: (event: RunEvent) => boolean;
  /** The last event that is wanted. The end of the run ends the following in any case. */
  readonly until: (event: RunEvent) => boolean;
}

/** How a following ended. `status` is that of the last turn or run whose end was seen. `no_worker`: nobody has the run. */
export type Ending =
  | { readonly type: 'ended'; readonly status: Status | undefined }
  | { readonly type: 'detached' }
  | { readonly type: 'no_worker' };

/**
 * Prints a run's events as they happen, until the last that is wanted or Ctrl-C.
 * Ends early where no worker takes up the run: it would wait for ever without a word.
 */
export async function follow(
  cli: Pick<Cli, 'terminal' | 'onInterrupt'>,
  client: Pick<Runs, 'events' | 'waitForWorker'>,
  following: Following,
): Promise<Ending> {
  const stop = new AbortController();
  const release = cli.onInterrupt(() => stop.abort());
  const { run, after, format } = following;
  try {
    cli.terminal.wait('waiting for a worker');
    if (!(await client.waitForWorker(run, { signal: stop.signal }))) return { type: 'no_worker' };
    const events = client.events(run, { after, until: 'close', signal: stop.signal });
    const status = await printEvents(cli.terminal, chosen(events, following), format);
    return stop.signal.aborted ? { type: 'detached' } : { type: 'ended', status };
  } catch (error) {
    if (stop.signal.aborted) return { type: 'detached' };
    throw error;
  } finally {
    release();
    cli.terminal.wait(undefined);
  }
}

/** Prints events as they come. Gives the status of the last turn or run that ended among them. */
export async function printEvents(
  terminal: Terminal,
  events: AsyncIterable<RunEvent>,
  format: Format,
): Promise<Status | undefined> {
  let status: Status | undefined;
  for await (const event of format === 'json' ? events : inReadingOrder(events)) {
    terminal.print(format === 'json' ? printableJson(event) : printEvent(event, terminal.style));
    terminal.wait(waitedForAfter(event));
    if (event.type === 'turn_finished') status = event.status;
    if (event.type === 'run_finished') status = event.result.status;
  }
  terminal.wait(undefined);
  return status;
}

async function* chosen(events: AsyncIterable<RunEvent>, { from, until }: Following): AsyncGenerator<RunEvent> {
  let begun = from === undefined;
  for await (const event of events) {
    begun ||= from?.(event) === true || event.type === 'run_finished';
    if (!begun) continue;
    yield event;
    if (until(event)) return;
  }
}

function waitedForAfter(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'iteration_started':
      return 'waiting for the model';
    case 'tool_call':
    case 'tool_result':
      return 'calls are running';
    case 'run_started':
    case 'turn_started':
    case 'user_message':
    case 'run_continued':
      return 'working';
    default:
      return undefined;
  }
}
