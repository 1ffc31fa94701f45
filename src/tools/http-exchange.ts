import type { LookupAddress } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Deadline } from './deadline.ts';
import { errorLine } from './error-text.ts';
import { shown } from './http-target.ts';

/** Encodings that the body is decoded from. */
const ACCEPT_ENCODING = 'gzip, deflate, br';

/** Where a GET goes, and what ends it early. */
export interface Exchange {
  /** The only addresses that are connected to: names are not looked up again. */
  readonly addresses: readonly LookupAddress[];
  /** Longest silence of the other side, before the headers and within the body. */
  readonly idleTimeoutMs: number;
  readonly deadline: Deadline;
}

/**
 * Sends one GET on a connection of its own and gives the answer once its headers are there; redirects are not followed.
 * The caller must destroy the answer. Throws an error that may be retried when there is none.
 */
export async function exchange(url: URL, { addresses, idleTimeoutMs, deadline }: Exchange): Promise<IncomingMessage> {
  deadline.signal.throwIfAborted(); // Node would begin to connect before it looks.
  const { request } = url.protocol === 'https:' ? https : http;
  const options = {
    agent: false as const, // A pooled connection would go to an address that was judged for another request.
    lookup: answering(addresses),
    headers: { 'user-agent': 'pawl', accept: '*/*', 'accept-encoding': ACCEPT_ENCODING },
    timeout: idleTimeoutMs,
    signal: deadline.signal,
  };
  try {
    return await new Promise((resolve, reject) => {
      const sent = request(url, options);
      sent.on('timeout', () => deadline.stop(new Error(`${shown(url.href)} sent nothing for ${idleTimeoutMs} ms.`)));
      sent.on('error', reject);
      sent.on('response', resolve);
      // Without a listener Node drops the connection and says nothing.
      sent.on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new Error('it switched to another protocol'));
      });
      sent.end();
    });
  } catch (error) {
    throw new Error(`${shown(url.href)} cannot be reached (${errorLine(error)}).`, { cause: error });
  }
}

/** Answers every look-up with the addresses that were judged, so that they are the ones connected to. */
function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (host, options, callback) => {
    const [first] = addresses;
    if (first === undefined) callback(new Error(`${host} has no address`), '');
    else if (options.all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
