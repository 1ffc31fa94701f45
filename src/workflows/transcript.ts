import type { CallModelResult, ContextRef, SummarizeResult, ToolResult } from '../protocol/activities.ts';
import { SEGMENT_CHARS } from '../protocol/limits.ts';
import { type CallBlock, callsOf, type Message, type ResultBlock, type UserMessage } from '../protocol/messages.ts';
import { type AgentSnapshot, type ContextHead, contextHead } from '../protocol/snapshot.ts';

/**
 * What the model is shown of a run, as the workflow holds it. It promises that each call is answered exactly once, with
 * all results of an iteration in one user message, in the model's order, before any other block; and that nothing is empty.
 */
export interface Transcript {
  /** Number of the context: a compaction starts the next one. */
  context: number;
  /** JSON of the context head: line 0 of the context. */
  head: string;
  /** JSON of each message that the model has seen or written. */
  lines: string[];
  /** Digest over head and lines, as the last model call reported it. */
  digest: string;
  /** Tokens of head and lines, as the last model call reported them. */
  tokens: number;
  /** Messages that the next model call appends. */
  pending: Message[];
  /** Calls of the last answer that have no result yet. */
  open: readonly CallBlock[];
}

/** What continue-as-new carries of a transcript, beside its segments. */
export interface CarriedTranscript {
  readonly context: number;
  readonly digest: string;
  readonly tokens: number;
  readonly pending: readonly Message[];
}

/** A place to which a transcript can be taken back. */
export interface Mark {
  readonly length: number;
  readonly digest: string;
  readonly tokens: number;
  readonly pending: readonly Message[];
}

export function newTranscript(snapshot: AgentSnapshot): Transcript {
  const head = JSON.stringify(contextHead(snapshot));
  return { context: 0, head, lines: [], digest: snapshot.digest, tokens: 0, pending: [], open: [] };
}

/** The transcript of the link before. */
export function restoreTranscript(carried: CarriedTranscript, segments: readonly string[]): Transcript {
  const [head = '', ...lines] = segments.flatMap((segment) => segment.split('\n'));
  return { ...carried, head, lines, pending: [...carried.pending], open: [] };
}

export function carriedTranscript(transcript: Transcript): CarriedTranscript {
  const { context, digest, tokens, pending } = transcript;
  return { context, digest, tokens, pending };
}

/** The context as JSON lines, cut at whole lines: equal for every link up to the last segment, which alone still grows. */
export function segmentsOf(transcript: Transcript): string[] {
  const segments: string[] = [];
  let current: string[] = [];
  let chars = 0;
  for (const line of [transcript.head, ...transcript.lines]) {
    current.push(line);
    chars += line.length + 1;
    if (chars < SEGMENT_CHARS) continue;
    segments.push(current.join('\n'));
    current = [];
    chars = 0;
  }
  if (current.length > 0) segments.push(current.join('\n'));
  return segments;
}

/** What the next model call stands on. */
export function baseOf(transcript: Transcript): ContextRef {
  return { context: transcript.context, length: transcript.lines.length, digest: transcript.digest };
}

/** `chars` UTF-16 units from `offset` of the JSON lines of the head and the first `length` messages. */
export function pageOf(transcript: Transcript, length: number, offset: number, chars: number): string {
  const parts: string[] = [];
  let start = 0;
  const end = offset + chars;
  for (let i = -1; i < length && start < end; i++) {
    const line = i < 0 ? transcript.head : (transcript.lines[i] ?? '');
    const text = i === length - 1 ? line : `${line}\n`;
    if (start + text.length > offset) parts.push(text.slice(Math.max(0, offset - start), end - start));
    start += text.length;
  }
  return parts.join('');
}

/** Adds what a user says. It joins the results that wait to be sent, after them, and never stands before a result. */
export function say(transcript: Transcript, message: UserMessage): void {
  if (transcript.open.length > 0) throw new Error(`${transcript.open.length} calls are open: answer them first`);
  if (message.content.length === 0) return;
  const last = transcript.pending.at(-1);
  if (last?.role !== 'user') {
    transcript.pending.push(message);
    return;
  }
  transcript.pending[transcript.pending.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
}

type Recorded = Pick<CallModelResult, 'message' | 'digest' | 'contextTokens'>;

/** Takes in a model's answer: what was pending has been seen, and the answer's calls are open. */
export function record(transcript: Transcript, answer: Recorded): void {
  for (const message of transcript.pending) transcript.lines.push(JSON.stringify(message));
  if (answer.message) transcript.lines.push(JSON.stringify(answer.message));
  transcript.pending = [];
  transcript.digest = answer.digest;
  transcript.tokens = answer.contextTokens;
  transcript.open = answer.message ? callsOf(answer.message) : [];
}

/** Answers the open calls: all of them, each once, in the model's order, whatever the order of the results. */
export function answer(transcript: Transcript, results: readonly ToolResult[]): void {
  const byId = new Map(results.map((result) => [result.callId, result]));
  if (byId.size !== results.length || results.length !== transcript.open.length) {
    throw new Error(`${transcript.open.length} calls are open, and ${results.length} results came for them`);
  }
  const content = transcript.open.map((call) => resultBlock(call, byId.get(call.callId)));
  transcript.open = [];
  if (content.length > 0) transcript.pending.push({ role: 'user', content });
}

function resultBlock(call: CallBlock, result: ToolResult | undefined): ResultBlock {
  if (!result) throw new Error(`call ${call.callId} has no result`);
  const block = { type: 'result', callId: call.callId, content: result.content } as const;
  return result.outcome === 'completed' ? block : { ...block, isError: true };
}

export function mark(transcript: Transcript): Mark {
  const { lines, digest, tokens, pending } = transcript;
  return { length: lines.length, digest, tokens, pending: [...pending] };
}

/** Forgets all since the mark. The history keeps it; the model is not shown it again. */
export function rollBack(transcript: Transcript, to: Mark): void {
  transcript.lines = transcript.lines.slice(0, to.length);
  transcript.digest = to.digest;
  transcript.tokens = to.tokens;
  transcript.pending = [...to.pending];
  transcript.open = [];
}

/** Goes on in the next context: the same messages behind another head. */
export function changeHead(transcript: Transcript, head: ContextHead, { digest }: Pick<ContextRef, 'digest'>): void {
  transcript.head = JSON.stringify({ ...head, parent: transcript.digest });
  transcript.context++;
  transcript.digest = digest;
}

/** Goes on in the next context: the summary stands for the messages before `cut`. What is pending stays so. */
export function compactTo(transcript: Transcript, cut: number, result: SummarizeResult): void {
  changeHead(transcript, JSON.parse(transcript.head) as ContextHead, result);
  transcript.lines = [JSON.stringify(result.summary), ...transcript.lines.slice(cut)];
  transcript.tokens = result.contextTokens;
}
