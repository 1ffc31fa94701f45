// What the clients for Claude in the clouds have in common: settings that must be there, and a search for credentials.

import type { Middleware } from '@anthropic-ai/sdk';
import { ModelError } from './model-adapter.ts';

/** Files are read at once, and services that give credentials stand beside the machine. A silent one would take minutes. */
const SEARCH_MS = 20_000;

/** No request was made, since the client found nothing to sign it with. */
export class CredentialsFailure extends Error {
  override readonly name = 'CredentialsFailure';
  /** Not `cause`: the SDK would take one that speaks of time for a time-out of its own. */
  readonly reason: unknown;

  constructor(reason: unknown) {
    super('No credentials were found.');
    this.reason = reason;
  }
}

/** The value. Throws ModelError `not_found`, not retryable, with the variable to set and what it says. */
export function setting(value: string | undefined, variable: string, meaning: string): string {
  if (value !== undefined && value !== '') return value;
  throw new ModelError('not_found', `${variable} is not set: it names ${meaning}.`, { retryable: false });
}

/** What a search finds, if that is soon. Throws {@link CredentialsFailure}. */
export async function foundIn<T>(search: Promise<T>, signal?: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came in ${SEARCH_MS} ms (timed out)`)), SEARCH_MS);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([search, tooLate]);
  } catch (reason) {
    throw new CredentialsFailure(reason);
  } finally {
    clearTimeout(timer);
  }
}

/** The client's own middleware, which finds credentials, signs and sends: here with an end to the finding. */
export function searching(own: Middleware): Middleware {
  return async (request, next, context) => {
    let tellFound = () => {};
    const found = new Promise<void>((resolve) => {
      tellFound = resolve;
    });
    let isGivenUp = false;
    const send: typeof next = async (signed) => {
      if (isGivenUp) throw new Error('The credentials came too late.'); // nobody waits for an answer any more
      tellFound();
      return next(signed);
    };
    const answer = own(request, send, context);
    try {
      await foundIn(Promise.race([found, answer]), request.signal ?? undefined);
    } catch (error) {
      isGivenUp = true;
      throw error;
    }
    return answer;
  };
}
