import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, errorAnswer, type MessageAnswer, type ScriptEntry } from './answers.ts';
import { BoundThinking } from './bound-thinking.ts';
import type { Hooks } from './exchange.ts';
import type { Placeholders } from './placeholders.ts';
import { type Received, readBody } from './read-body.ts';
import { countRepeatedCompleted, type RecordedRequest } from './recorded-request.ts';
import { createScript } from './script.ts';
import { sendAnswer } from './send-answer.ts';
import { complaintAbout } from './strict-rules.ts';
import { Threads, type ThreadTurn } from './threads.ts';
import { isObject, type WireBlock, type WireRequest } from './wire.ts';

/** Decides on the answer by logic. */
type Respond = (request: RecordedRequest, index: number) => Answer | Promise<Answer>;

/** What the fake answers, and how strict it is. */
export interface FakeModelApiOptions {
  /** Answers in order; used up, every further request is an overrun. Give this or `respond`. */
  readonly responses?: readonly ScriptEntry[];
  readonly respond?: Respond;
  /** Refuse what the real API refuses. Default true. */
  readonly strict?: boolean | 'allow_unknown_blocks';
  /** The model takes thinking back only behind the words after which it wrote it, as the newest ones do. */
  readonly bindsThinking?: boolean;
  readonly hooks?: Hooks;
  readonly placeholders?: Placeholders;
  /** Requests for this model get the answers marked `for: child`. */
  readonly childModel?: string;
  /** Requests for this model get this answer, each time. */
  readonly compaction?: { readonly model: string; readonly response: Answer };
}

/** A running fake of the Messages API. */
export interface FakeModelApi {
  /** Base address for a client, without `/v1`. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** The complaints of the requests that were refused, in order. They take no answer from the list. */
  readonly rejections: readonly string[];
  /** Number of requests that came after the list of answers was used up. */
  readonly overruns: number;
  /** Bytes of content, as JSON, that the model produced, in whole and in cut answers. */
  readonly bytesProduced: number;
  /** Number of requests whose messages had been answered in full before. */
  readonly repeatedCompleted: number;
  /** The conversations that it holds for requests with a thread. */
  readonly threads: Threads;
  /** Resolves when request number `n` (0-based) has arrived; rejects where the fake is closed before. */
  waitForRequest(n: number): Promise<RecordedRequest>;
  /** Cuts all connections; a second call does nothing. Throws what hooks or `respond` have thrown. */
  close(): Promise<void>;
}

/** Starts a fake on a free port of the loopback interface. */
export async function startFakeModelApi(options: FakeModelApiOptions): Promise<FakeModelApi> {
  const fake = new Fake(options);
  await fake.listen();
  return fake;
}

class Fake implements FakeModelApi {
  readonly requests: RecordedRequest[] = [];
  readonly rejections: string[] = [];
  overruns = 0;
  bytesProduced = 0;
  readonly threads = new Threads();
  readonly #boundThinking = new BoundThinking();
  readonly #options: FakeModelApiOptions;
  readonly #choose: (request: RecordedRequest) => Answer | undefined | Promise<Answer>;
  readonly #server: Server;
  readonly #sent: (readonly WireBlock[])[] = [];
  readonly #waiting: { n: number; resolve(request: RecordedRequest): void; reject(error: Error): void }[] = [];
  readonly #faults: unknown[] = [];

  constructor(options: FakeModelApiOptions) {
    this.#options = options;
    const { respond, responses = [] } = options;
    const script = createScript({ ...options, responses });
    this.#choose = respond ? (request) => respond(request, request.index) : (request) => script(request.body);
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => this.#fail(error, response));
    });
    this.#server.keepAliveTimeout = 0; // an idle connection that the server drops looks like a network fault to a client
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get repeatedCompleted(): number {
    return countRepeatedCompleted(this.requests);
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  waitForRequest(n: number): Promise<RecordedRequest> {
    const arrived = this.requests[n];
    if (arrived) return Promise.resolve(arrived);
    return new Promise((resolve, reject) => this.#waiting.push({ n, resolve, reject }));
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    for (const { n, reject } of this.#waiting.splice(0)) reject(new Error(`closed before request ${n} came`));
    if (this.#faults.length > 0) throw new AggregateError(this.#faults, 'the fake model API had faults');
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const read = await readBody(incoming);
    if (read.outcome === 'aborted') return; // no request that arrived
    if (incoming.method !== 'POST' || new URL(incoming.url ?? '/', this.url).pathname !== '/v1/messages') {
      const { status, body } = errorAnswer(404, 'not_found_error', 'Not found', 'req_fake_none');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return;
    }
    const request = this.#record(incoming, read);
    watch(request, response);
    const requestId = `req_fake_${request.index}`;
    response.setHeader('request-id', requestId);
    const turn = this.threads.open(request);
    try {
      const refusal = this.#refusal(read, turn, request);
      const answer = refusal ?? turn.named((await this.#choose(request)) ?? this.#overrun(requestId));
      const { hooks = {} } = this.#options;
      const produced = (message: MessageAnswer, extent: 'whole' | 'part') => this.#produced(message, extent, turn);
      await sendAnswer(answer, { request, response, hooks, gone: gone.signal, produced });
    } finally {
      turn.ended();
    }
  }

  #record(incoming: IncomingMessage, read: Received): RecordedRequest {
    const body = read.outcome === 'json' ? read.body : undefined;
    const model = isObject(body) && typeof body['model'] === 'string' ? body['model'] : '';
    const { headers } = incoming;
    const fields = { index: this.requests.length, at: Date.now(), headers, model, body, text: read.text };
    const request: RecordedRequest = { ...fields, aborted: false, cutByServer: false, answeredInFull: false };
    this.requests.push(request);
    const reached = this.#waiting.filter(({ n }) => n === request.index);
    for (const { resolve } of reached) resolve(request);
    return request;
  }

  #refusal(read: Received, { whole, refusal }: ThreadTurn, { index, headers }: RecordedRequest): Answer | undefined {
    const requestId = `req_fake_${index}`;
    if (read.outcome === 'too_large') return this.#reject(413, 'Request exceeds the maximum size', requestId);
    if (read.outcome === 'invalid') return this.#reject(400, read.complaint, requestId);
    if (refusal) return 'answer' in refusal ? refusal.answer : this.#reject(400, refusal.complaint, requestId);
    const { strict = true } = this.#options;
    if (strict === false) return undefined;
    const unknownBlocks = strict === 'allow_unknown_blocks' ? 'allowed' : 'refused';
    const complaint =
      complaintAbout(whole as WireRequest, { sent: this.#sent }, unknownBlocks) ??
      (this.#options.bindsThinking ? this.#boundThinking.complaintAbout(whole, headers) : undefined);
    return complaint === undefined ? undefined : this.#reject(400, complaint, requestId);
  }

  #reject(status: 400 | 413, complaint: string, requestId: string): Answer {
    this.rejections.push(`${requestId}: ${complaint}`);
    return errorAnswer(status, status === 413 ? 'request_too_large' : 'invalid_request_error', complaint, requestId);
  }

  #overrun(requestId: string): Answer {
    this.overruns++;
    const answer = errorAnswer(500, 'api_error', 'The list of answers is used up.', requestId);
    return { ...answer, headers: { 'x-should-retry': 'false' } }; // the case is lost: retries would only take time
  }

  #produced(message: MessageAnswer, extent: 'whole' | 'part', turn: ThreadTurn): void {
    this.bytesProduced += Buffer.byteLength(JSON.stringify(message.content));
    if (extent === 'part') return;
    this.#sent.push(message.content);
    this.#boundThinking.answered(turn.whole, message);
    turn.answered(message);
  }

  #fail(error: unknown, response: ServerResponse): void {
    this.#faults.push(error);
    response.destroy();
  }
}

function watch(request: RecordedRequest, response: ServerResponse): void {
  response.once('close', () => {
    request.responseEndedAt = Date.now();
    request.aborted = !response.writableFinished && !request.cutByServer;
  });
}
