import { runUrl } from '../client/agent-client.ts';
import type { Target } from '../temporal/connection.ts';

/** The line with the link to a run in the Temporal UI; an empty text where no UI is known. */
export function uiLink({ uiUrl, namespace }: Target, run: string, runId: string): string {
  return uiUrl === undefined ? '' : `In the Temporal UI: ${runUrl(uiUrl, namespace, run, runId)}`;
}
