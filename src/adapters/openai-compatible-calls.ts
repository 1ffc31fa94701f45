// The calls of one streamed chat answer. Servers differ in how they cut and name them.

import type { CallBlock, JsonObject } from '../protocol/messages.ts';
import { badResponse, isObject, nonEmptyText } from './answer-faults.ts';
import { inputOfText } from './call-input.ts';
import { asWritten } from './openai-items.ts';

interface Call {
  id: string | undefined;
  name: string;
  readonly pieces: string[];
  rest: JsonObject;
}

/** The calls while they are written, each piece with its own call. */
export class CallsInProgress {
  readonly #provider: string;
  readonly #calls: Call[] = [];
  readonly #latest = new Map<unknown, Call>();

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** Takes one piece. Gives the name of the call that begins with it, or undefined. */
  add(piece: JsonObject): string | undefined {
    const { index, id, type: _, function: called, ...rest } = piece;
    const begun = this.#calls.length;
    const { name, arguments: written } = isObject(called) ? called : {};
    const beginsInput = isObject(written) || (typeof written === 'string' && written.trimStart().startsWith('{'));
    const mayBegin = nonEmptyText(name) !== undefined && beginsInput;
    const call = this.#callOf(index, nonEmptyText(id), mayBegin);
    call.name = nonEmptyText(name) ?? call.name;
    call.rest = { ...call.rest, ...rest };
    if (typeof written === 'string') call.pieces.push(written);
    else if (isObject(written)) call.pieces.push(JSON.stringify(written)); // some servers forget that it is a text
    return this.#calls.length > begun ? call.name : undefined;
  }

  /** The calls in neutral form. Throws ModelError `bad_model_response` for one without a name. */
  toNeutral(): CallBlock[] {
    return this.#calls.map(({ id, name, pieces, rest }, position) => {
      if (name === '') throw badResponse(`call ${position} has no name`);
      const text = pieces.join('');
      const read = inputOfText(text);
      const meta = { ...(Object.keys(rest).length > 0 && { rest }), ...asWritten(text, read) };
      const kept = Object.keys(meta).length > 0 ? { meta: { [this.#provider]: meta } } : undefined;
      return { type: 'call', callId: id ?? `call_${position}`, name, ...read, ...kept };
    });
  }

  /**
   * A piece belongs to the latest call of its index, unless it has another id: some servers give each call the index 0.
   * Without an index it belongs to the latest call of all. Some servers tell their calls apart by nothing: what may begin
   * a call does so after a whole one.
   */
  #callOf(index: unknown, id: string | undefined, mayBegin: boolean): Call {
    const latest = typeof index === 'number' ? this.#latest.get(index) : this.#calls.at(-1);
    const isItsOwn = id === undefined || latest?.id === undefined || latest.id === id;
    if (latest !== undefined && isItsOwn && !(mayBegin && isWhole(latest))) {
      latest.id ??= id;
      return latest;
    }
    const call: Call = { id, name: '', pieces: [], rest: {} };
    this.#calls.push(call);
    this.#latest.set(index, call);
    return call;
  }
}

/** Looks at the last piece first: to read all of them for each new one would be work in the square of their number. */
function isWhole({ pieces }: Call): boolean {
  if (pieces.at(-1)?.trimEnd().endsWith('}') !== true) return false;
  return inputOfText(pieces.join('')).malformed === undefined;
}
