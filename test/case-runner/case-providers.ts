import { geminiWire } from '../fake-google-api/gemini.ts';
import { chatWire, deepSeekWire } from '../fake-openai-api/chat.ts';
import { responsesWire } from '../fake-openai-api/responses.ts';
import type { Wire } from '../fake-openai-api/wire-fake.ts';

/** How a case's word for a provider maps onto the product. */
export interface CaseProvider {
  /** The agent's model. Every service with old and new rules is held to the new ones by this name. */
  readonly model: string;
  /** What the provider's variables begin with. */
  readonly variables: string;
  /** What the address of the service has after the server's. */
  readonly path: string;
  /** Absent where the fake is the one of the Messages API. */
  readonly wire?: Wire;
}

/** Writes the summaries of a case. The fake tells them by this name, which it sees without the provider. */
export const SUMMARY_MODEL = 'claude-summary-1';

const PROVIDERS: Readonly<Record<string, CaseProvider>> = {
  anthropic: { model: 'anthropic/claude-fake-1', variables: 'ANTHROPIC', path: '' },
  'openai-responses': { model: 'openai/gpt-fake-5', variables: 'OPENAI', path: '/v1', wire: responsesWire },
  'openai-chat': {
    model: 'openai-compatible/chat-fake-1',
    variables: 'OPENAI_COMPATIBLE',
    path: '/v1',
    wire: chatWire,
  },
  deepseek: { model: 'deepseek/deepseek-fake-1', variables: 'DEEPSEEK', path: '', wire: deepSeekWire },
  gemini: { model: 'google/gemini-fake-3', variables: 'GEMINI', path: '', wire: geminiWire },
};

/** The words that a case may use for its provider. */
export const PROVIDER_WORDS: readonly string[] = Object.keys(PROVIDERS);

/** Throws for a word that is none of {@link PROVIDER_WORDS}. */
export function caseProvider(word: string): CaseProvider {
  const provider = Object.hasOwn(PROVIDERS, word) ? PROVIDERS[word] : undefined;
  if (provider === undefined) throw new Error(`unknown provider: ${word}`);
  return provider;
}
