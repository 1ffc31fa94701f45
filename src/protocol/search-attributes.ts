/** The search attributes of a run, with their types in Temporal's words. A run goes without them where its namespace lacks any. */
export const SEARCH_ATTRIBUTES = {
  PawlAgent: 'Keyword',
  PawlStatus: 'Keyword',
  PawlModel: 'Keyword',
  PawlTenant: 'Keyword',
  PawlTokens: 'Int',
  PawlCostUsd: 'Double',
  PawlWaiting: 'Bool',
} as const;
