import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { printEvent } from '../../src/cli/printer.ts';
import { inReadingOrder } from '../../src/cli/reading-order.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { uiLink } from '../../src/cli/ui-link.ts';
import { AgentClient } from '../../src/client/agent-client.ts';
import type { Config } from '../../src/config.ts';
import { connectClient, type Target } from '../../src/temporal/connection.ts';
import { dataConverterFor } from '../../src/temporal/data-converter.ts';
import { COPYIST, NEEDED_MODEL_REQUESTS, PROMPT } from './copyist.ts';
import { Tally } from './tally.ts';
import { type Kill, type Watch, Workers } from './workers.ts';

/** Inside a chapter and inside the answer: both have some more. */
const PAGES_BEFORE_KILL = 5;
const WORDS_BEFORE_KILL = 6;

/** Plays the run on a queue of its own. Tells whether it ended as promised; what was left of it where not is ended. */
export async function play(config: Config, target: Target, terminal: Terminal): Promise<boolean> {
  const connection = await connectClient(target);
  const dataConverter = dataConverterFor(config, target);
  const temporal = new Client({ connection, namespace: target.namespace, dataConverter });
  const taskQueue = `pawl-demo-kill-${randomUUID().slice(0, 8)}`;
  const client = new AgentClient({ client: temporal, taskQueue });
  const tally = new Tally();
  const stop = new AbortController();
  const workers = new Workers(config, taskQueue, kills(), watching(terminal, tally, stop));
  process.once('SIGINT', () => stop.abort(new Error('Interrupted.')));
  const { run, firstExecutionRunId } = await client.start({ agent: COPYIST, prompt: PROMPT });
  try {
    workers.start();
    for await (const event of inReadingOrder(client.events(run, { signal: stop.signal }))) {
      terminal.print(printEvent(event, terminal.style));
    }
    if (stop.signal.aborted) {
      terminal.note(`${stop.signal.reason.message} The run is ended.`);
      await temporal.workflow.getHandle(run).terminate('the demo was stopped');
      return false;
    }
    terminal.print(`${uiLink(target, run, firstExecutionRunId)}\n`);
    return judge((await client.result(run)).status, tally, terminal);
  } finally {
    await workers.stop();
    await connection.close();
  }
}

/** Worker 1 dies while the second chapter is copied, worker 2 in the middle of the answer. Worker 3 lives. */
function kills(): Kill[] {
  let words = 0;
  return [
    {
      moment: `while copy_chapter is at page ${PAGES_BEFORE_KILL} of chapter 2`,
      isNow: (fact) => fact.type === 'page_copied' && fact.chapter === 2 && fact.page === PAGES_BEFORE_KILL,
    },
    {
      moment: "in the middle of the model's answer",
      isNow: (fact) => fact.type === 'model_wrote' && fact.iteration === 3 && ++words === WORDS_BEFORE_KILL,
    },
  ];
}

function watching({ print, style }: Terminal, tally: Tally, stop: AbortController): Watch {
  let killedAtMs: number | undefined;
  return (news) => {
    switch (news.type) {
      case 'fact':
        tally.count(news.fact);
        break;
      case 'up':
        print(style.green(`++ ${news.worker} is up${sinceKill(killedAtMs)}.`));
        break;
      case 'killed':
        killedAtMs = Date.now();
        print(style.red(`-- ${news.worker} gets SIGKILL ${news.moment}.`));
        break;
      case 'broken':
        stop.abort(new Error(`${news.worker} ended, and it was not the demo that killed it.`));
        break;
    }
  };
}

function sinceKill(killedAtMs: number | undefined): string {
  return killedAtMs === undefined ? '' : `, ${((Date.now() - killedAtMs) / 1_000).toFixed(1)} s after the kill`;
}

function judge(status: string, tally: Tally, { print, note }: Terminal): boolean {
  const { modelRequests, repeatedAnswers, toolStarts, toolCalls } = tally;
  const cut = modelRequests - NEEDED_MODEL_REQUESTS;
  print(
    `Model requests: ${modelRequests} made, ${NEEDED_MODEL_REQUESTS} needed; ${cut} cut off by a kill and made again.`,
  );
  print(`Answers that had come back and were asked for again: ${repeatedAnswers}.`);
  print(
    `copy_chapter: ${toolStarts} starts for ${toolCalls} calls; the one cut off was started again under its own key.`,
  );
  if (status === 'completed' && repeatedAnswers === 0) return true;
  note(`This is not what Pawl promises: the run is ${status}, and ${repeatedAnswers} answers were paid for twice.`);
  return false;
}
