import { readFile } from 'node:fs/promises';
import { messagesProblem } from '../protocol/check-messages.ts';
import type { Message } from '../protocol/messages.ts';
import type { RunRequest } from '../protocol/run.ts';
import { oneLine } from './printable.ts';
import type { RunOptions } from './program.ts';
import { UsageError } from './usage-error.ts';

/** The parser quotes the text that it fell over. */
const MAX_REASON_CHARS = 120;

/** The request that a command line stands for. Throws {@link UsageError} for a file that holds no conversation. */
export async function runRequest(question: readonly string[], options: RunOptions): Promise<RunRequest> {
  const prompt = question.join(' ').trim();
  return {
    agent: options.agent,
    prompt: prompt === '' ? undefined : prompt,
    messages: options.messages === undefined ? undefined : await readMessages(options.messages),
    model: options.model,
    limits: options.maxIterations === undefined ? undefined : { maxIterations: options.maxIterations },
    mode: options.chat ? 'chat' : 'task',
  };
}

async function readMessages(file: string): Promise<readonly Message[]> {
  const messages = parse(await read(file), file);
  if (!Array.isArray(messages)) throw new UsageError(`--messages ${file}: it must be a JSON list of messages.`);
  const problem = messagesProblem(messages);
  if (problem !== undefined) throw new UsageError(`--messages ${file}: ${problem}.`);
  return messages;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${String(code ?? error)})`;
    throw new UsageError(`--messages ${file}: ${why}. Make one with show --messages.`, { cause: error });
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--messages ${file}: it is no JSON: ${oneLine(String(error), MAX_REASON_CHARS)}.`, {
      cause: error,
    });
  }
}
