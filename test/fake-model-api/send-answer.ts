import { type Answer, type HttpAnswer, isMessageAnswer, type MessageAnswer, type SseAnswer } from './answers.ts';
import { type Exchange, pause, resetConnection } from './exchange.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { eventsOf, messageOf } from './sse.ts';
import { endStream, planOf, rawPlan, type StreamPlan, writeStream } from './stream.ts';
import { isObject } from './wire.ts';

/** Sends one answer to its end. Returns early where the client leaves. */
export async function sendAnswer(answer: Answer, exchange: Exchange): Promise<void> {
  const { request, hooks, gone } = exchange;
  await pause(answer.delay_before_headers_ms, gone);
  await hooks.beforeHeaders?.(request);
  if (gone.aborted) return;
  if ('connection' in answer) {
    resetConnection(exchange);
    return;
  }
  if (isMessageAnswer(answer)) return sendMessage(answer, exchange);
  if ('sse_events' in answer) return sendEvents(answer, exchange);
  if ('sse_raw_base64_chunks_of' in answer) return sendStream(rawPlan(answer), exchange);
  return sendHttp(answer, exchange);
}

function wantsStream({ body }: RecordedRequest): boolean {
  return isObject(body) && body['stream'] === true;
}

async function sendMessage(answer: MessageAnswer, exchange: Exchange): Promise<void> {
  const { delay_before_headers_ms, delay_between_events_ms, pings_every_ms, ...rest } = answer;
  const message = rest as MessageAnswer;
  if (!wantsStream(exchange.request)) return sendHttp({ status: 200, body: message }, exchange);
  return sendStream(planOf({ sse_events: eventsOf(message), delay_between_events_ms, pings_every_ms }), exchange);
}

async function sendEvents(answer: SseAnswer, exchange: Exchange): Promise<void> {
  const plan = planOf(answer);
  if (wantsStream(exchange.request)) return sendStream(plan, exchange);
  if (plan.isWhole) return sendHttp({ status: 200, body: messageOf(answer.sse_events) }, exchange);
  // A message that never became whole has no form as JSON: nothing comes, and the connection ends as the stream would.
  return endStream({ ...plan, end: plan.end === 'close' ? 'reset' : plan.end, pingsEveryMs: undefined }, exchange);
}

function sendHttp({ status, headers, body }: HttpAnswer, { request, response, produced }: Exchange): void {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  request.status = status;
  if (status === 200 && isWholeMessage(body)) {
    produced(body, 'whole');
    response.once('finish', () => {
      request.answeredInFull = true;
    });
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

function isWholeMessage(body: unknown): body is MessageAnswer {
  return isMessageAnswer(body) && Array.isArray(body.content) && isObject(body['usage']);
}

async function sendStream(plan: StreamPlan, exchange: Exchange): Promise<void> {
  const { request, response, produced } = exchange;
  request.status = 200;
  if (plan.isWhole) {
    produced(messageOf(plan.events), 'whole');
    response.once('finish', () => {
      request.answeredInFull = true;
    });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  const writtenEvents = await writeStream(plan, exchange);
  if (!plan.isWhole) produced(messageOf(writtenEvents), 'part');
  if (!exchange.gone.aborted) await endStream(plan, exchange);
}
