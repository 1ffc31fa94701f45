import type { JsonMap } from './case-format.ts';

/** Server-side tools that a case may switch on, as the provider's wire names them. */
export const PROVIDER_TOOLS: Readonly<Record<string, JsonMap>> = {
  web_search: { type: 'web_search_20250305', name: 'web_search' },
  web_fetch: { type: 'web_fetch_20250910', name: 'web_fetch' },
  code_execution: { type: 'code_execution_20250825', name: 'code_execution' },
};
