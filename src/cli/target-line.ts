import { assertNever } from '../protocol/json.ts';
import type { Target } from '../temporal/connection.ts';

/** Where Temporal comes from, in one line. */
export function targetLine({ source, address, namespace, uiUrl }: Omit<Target, 'connectionOptions'>): string {
  const ui = uiUrl === undefined ? '' : `, UI at ${uiUrl}`;
  switch (source) {
    case 'embedded':
      return `Temporal: embedded server on ${address}${ui}`;
    case 'local':
      return `Temporal: dev server on ${address}${ui}`;
    case 'configured':
      return `Temporal: ${address}, namespace ${namespace}${ui}`;
    default:
      return assertNever(source);
  }
}
