import type { Logger } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from '../protocol/search-attributes.ts';

/** How long a run's start may wait for the answer. Without one the run goes on without search attributes. */
const DEADLINE_MS = 3_000;

/** Whether the namespace has all of Pawl's search attributes. Never rejects. */
export type HasSearchAttributes = () => Promise<boolean>;

/** Asks the server once, at the first call. Where any is missing it logs one warning; where it gets no answer it asks again later. */
export function createHasSearchAttributes(
  connection: Pick<NativeConnection, 'operatorService' | 'withDeadline'>,
  namespace: string,
  logger: Logger,
): HasSearchAttributes {
  let known: Promise<boolean> | undefined;
  const ask = async (): Promise<boolean> => {
    const { customAttributes } = await connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      connection.operatorService.listSearchAttributes({ namespace }),
    );
    const missing = Object.keys(SEARCH_ATTRIBUTES).filter((name) => !(name in (customAttributes ?? {})));
    if (missing.length > 0) logger.warn('runs go on without search attributes: the namespace lacks some', { missing });
    return missing.length === 0;
  };
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = undefined;
      logger.warn('runs go on without search attributes: the server did not list them', { error });
      return false;
    });
    return known;
  };
}
