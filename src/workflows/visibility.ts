// What a person sees of a run in the Temporal UI and finds it by.

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Position } from '../protocol/activities.ts';
import { cutText } from '../protocol/json.ts';
import type { RunRequest, Status, Usage } from '../protocol/run.ts';
import { totalTokens } from '../protocol/run.ts';
import type { AgentSnapshot } from '../protocol/snapshot.ts';

const KEYS = {
  agent: defineSearchAttributeKey('PawlAgent', SearchAttributeType.KEYWORD),
  status: defineSearchAttributeKey('PawlStatus', SearchAttributeType.KEYWORD),
  model: defineSearchAttributeKey('PawlModel', SearchAttributeType.KEYWORD),
  tenant: defineSearchAttributeKey('PawlTenant', SearchAttributeType.KEYWORD),
  tokens: defineSearchAttributeKey('PawlTokens', SearchAttributeType.INT),
  costUsd: defineSearchAttributeKey('PawlCostUsd', SearchAttributeType.DOUBLE),
  waiting: defineSearchAttributeKey('PawlWaiting', SearchAttributeType.BOOL),
};

/** The longest keyword that the server's visibility store takes. */
const MAX_KEYWORD_BYTES = 255;

/** What a run is doing, for `PawlStatus`: how it ended, or `running`, or `idle` between the turns of a chat. */
export type VisibleStatus = Status | 'running' | 'idle';

/** The attributes that stay the same for the whole run. */
export function showStart(snapshot: AgentSnapshot, request: RunRequest): void {
  if (!snapshot.searchAttributes) return;
  upsertSearchAttributes([
    { key: KEYS.agent, value: keyword(snapshot.agent) },
    { key: KEYS.model, value: keyword(snapshot.model) },
    { key: KEYS.status, value: 'running' },
    { key: KEYS.waiting, value: false },
    ...(request.tenant ? [{ key: KEYS.tenant, value: keyword(request.tenant) }] : []),
  ]);
}

/** The attributes that follow the run. One event in the history: only for changes of status. */
export function showStatus(
  snapshot: AgentSnapshot,
  status: VisibleStatus,
  spend: { readonly usage: Usage; readonly costUsdMicros: number | null },
): void {
  if (!snapshot.searchAttributes) return;
  upsertSearchAttributes([
    { key: KEYS.status, value: status },
    { key: KEYS.waiting, value: status === 'idle' },
    { key: KEYS.tokens, value: totalTokens(spend.usage) },
    ...(spend.costUsdMicros === null ? [] : [{ key: KEYS.costUsd, value: spend.costUsdMicros / 1_000_000 }]),
  ]);
}

/** Current details in Markdown. They cost no event: the UI asks for them with a query. */
export function showDetails(
  snapshot: AgentSnapshot,
  { turn, iteration }: Position,
  { usage, doing }: { readonly usage: Usage; readonly doing: string },
): void {
  setCurrentDetails(
    [
      `**${snapshot.agent}** on ${snapshot.model}`,
      '',
      `| turn | iteration | tokens |`,
      `|---|---|---|`,
      `| ${turn} | ${iteration} of ${snapshot.limits.maxIterations} | ${totalTokens(usage)} |`,
      '',
      doing,
    ].join('\n'),
  );
}

/** One short line beside the activity's type. */
export function callSummary(input: unknown): string {
  return cutText(JSON.stringify(input), 120);
}

function keyword(value: string): string {
  return cutText(value, MAX_KEYWORD_BYTES);
}
