import { isObject, nonEmptyText } from './answer-faults.ts';
import { withMeta } from './anthropic-meta.ts';
import { toUnmarkedRequest, toWireRequest, type WireRequest } from './anthropic-request.ts';
import { firstWay, type Put, threadMeta, threadRequest, wayAfter } from './anthropic-thread.ts';
import type { ModelEvent, ModelRequest } from './model-adapter.ts';
import type { AnswerReader, WireEvent } from './stream-answer.ts';

/** One model call in a conversation that the service may hold: at most three requests, of which one is answered. */
export class ThreadCall {
  readonly #request: ModelRequest;
  readonly #secret: string;
  #put: Put | undefined;
  #id: string | undefined;
  #isOfFallback = false;

  /** `secret` must be the same for all workers that go on with a conversation. */
  constructor(request: ModelRequest, secret: string) {
    this.#request = request;
    this.#secret = secret;
  }

  /** The request to send now. Throws ModelError as {@link toWireRequest} does. */
  wireRequest(): WireRequest {
    const { body, way } = this.#begun();
    return way.type === 'unthreaded' ? toWireRequest(this.#request) : threadRequest(way, body);
  }

  /** Whether to send again after a refusal: {@link wireRequest} is then the request that may do. */
  goesOnAfter(error: unknown): boolean {
    const { body, way } = this.#begun();
    const next = wayAfter(way, error);
    if (next !== undefined) this.#put = { body, way: next };
    return next !== undefined;
  }

  /** The same reader, whose finished message says what the next call must know. */
  reader(reader: AnswerReader): AnswerReader {
    return {
      take: (event) => {
        this.#look(event);
        return reader.take(event).map((said) => this.#withMeta(said));
      },
      end: () => reader.end(),
    };
  }

  #begun(): Put {
    if (this.#put) return this.#put;
    const body = toUnmarkedRequest(this.#request);
    this.#put = { body, way: firstWay(this.#request.messages, body, this.#secret) };
    return this.#put;
  }

  #look({ data }: WireEvent): void {
    const start = isObject(data['message']) ? data['message'] : undefined;
    this.#id ??= nonEmptyText(start?.['id']);
    const usage = start?.['usage'] ?? data['usage'];
    const iterations = isObject(usage) ? usage['iterations'] : undefined;
    if (!Array.isArray(iterations)) return;
    this.#isOfFallback ||= iterations.some((each) => isObject(each) && each['type'] === 'fallback_message');
  }

  #withMeta(said: ModelEvent): ModelEvent {
    if (said.type !== 'finished') return said;
    const answered = { ...said, id: this.#id, isOfFallback: this.#isOfFallback };
    const meta = threadMeta(this.#begun(), answered, this.#secret);
    return meta === undefined ? said : { ...said, message: withMeta(said.message, meta) };
  }
}
