import { createHttpGet, type HttpGetOptions } from '../../src/tools/http-get.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import type { ToolCall } from '../../src/tools/tool.ts';

const ignore = (): void => undefined;

/** What came of one attempt, as the loop sees it. */
export interface Asked {
  readonly outcome: 'completed' | 'failed';
  /** The texts of the result. */
  readonly text: string;
  /** Types of the result's blocks. */
  readonly types: readonly string[];
  readonly retryable: boolean;
}

/** One attempt of the tool with the given options. */
export async function ask(url: string, options: HttpGetOptions = {}, signal?: AbortSignal): Promise<Asked> {
  const tool = createHttpGet(options);
  const { outcome, content, retryable } = await createRegistry([tool]).execute(
    tool.name,
    { url },
    call(signal),
    196_608,
  );
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  return { outcome, text, types: content.map(({ type }) => type), retryable };
}

function call(signal = new AbortController().signal): ToolCall {
  return {
    idempotencyKey: 'call',
    attempt: 1,
    signal,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    heartbeat: ignore,
    runId: 'run',
    callId: 'call',
    agent: 'test',
  };
}
