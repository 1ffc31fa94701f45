import type { RunEvent } from '../protocol/events.ts';
import { assertNever } from '../protocol/json.ts';
import type { Prompt, ResultContent } from '../protocol/messages.ts';
import type { LimitName, Status, Usage } from '../protocol/run.ts';
import { counted, duration, grouped, usd } from './numbers.ts';
import { oneLine, printable } from './printable.ts';
import type { Style } from './style.ts';

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>;

const INDENT = '  ';

/**
 * An event as a person reads it: a line, some lines, or nothing (an empty string) where others say it already.
 * Pure. Nothing that a model, a tool or a user wrote reaches the result with a control character in it.
 */
export function printEvent(event: RunEvent, style: Style): string {
  switch (event.type) {
    case 'run_started':
      return runStarted(event, style);
    case 'turn_started':
      return '';
    case 'agent_changed':
      return style.dim(`The agent has changed: ${printable(event.changed.join(', '))}`);
    case 'iteration_started':
      return `${style.dim(`#${event.iteration}`)}`;
    case 'model_result':
      return modelResult(event, style);
    case 'assistant_text':
      return indented(printable(event.text.trim()));
    case 'tool_call':
      return toolCall(event, style);
    case 'tool_result':
      return toolResult(event, style);
    case 'user_message':
      return `\n${style.bold('>')} ${line(promptText(event.prompt), 2, style)}`;
    case 'model_fallback':
      return modelFallback(event, style);
    case 'compacted':
      return compacted(event, style);
    case 'compaction_failed':
      return `${INDENT}${style.yellow(`! no summary could be had (${event.reason}): ${line(event.text, 40, style)}`)}`;
    case 'limit_reached':
      return limitReached(event, style);
    case 'usage':
      return usageLine(event, style);
    case 'final_text':
      return `\n${printable(event.text.trim())}\n`;
    case 'turn_finished':
      return turnFinished(event, style);
    case 'run_continued':
      return style.dim(`The run goes on in link ${event.link}.`);
    case 'run_finished':
      return runFinished(event, style);
    case 'history_expired':
      return historyExpired(event, style);
    default:
      return assertNever(event);
  }
}

function runStarted({ run, agent, model, prompt }: EventOf<'run_started'>, style: Style): string {
  // Where there is no such agent there is no model either.
  const who = [agent, model].filter((name) => name !== '').map(printable);
  const head = `${style.bold('Run')} ${printable(run)} ${style.dim(`(${who.join(', ')})`)}`;
  return prompt === undefined ? head : `${head}\n${style.bold('>')} ${line(promptText(prompt), 2, style)}`;
}

function modelResult(event: EventOf<'model_result'>, style: Style): string {
  const parts = [printable(event.model), stopped(event), inAndOut(event.usage)];
  if (event.attempts > 1) parts.push(counted(event.attempts, 'attempt'));
  return `${INDENT}${style.dim(parts.join(', '))}`;
}

function stopped(event: EventOf<'model_result'>): string {
  if (event.calls.length > 0) return counted(event.calls.length, 'call');
  return event.stopReason === 'end_turn' ? 'answered' : `stopped: ${event.stopReason}`;
}

function toolCall(event: EventOf<'tool_call'>, style: Style): string {
  const name = printable(event.name);
  const input = line(JSON.stringify(event.input), name.length + 5, style);
  return `${INDENT}${style.cyan('→')} ${name} ${style.dim(input)}`;
}

function toolResult(event: EventOf<'tool_result'>, style: Style): string {
  const name = printable(event.name);
  const head = [name];
  if (event.outcome !== 'completed') head.push(event.outcome);
  if (event.attempts > 1) head.push(`after ${counted(event.attempts, 'attempt')}`);
  const timed = event.attempts > 0 ? `${head.join(' ')} (${duration(event.durationMs)})` : head.join(' ');
  const output = line(event.output.map(contentText).join(' '), timed.length + 6, style);
  if (event.isError) return `${INDENT}${style.red('✗')} ${style.red(`${timed}:`)} ${output}`;
  return `${INDENT}${style.green('✓')} ${timed}: ${output}`;
}

function contentText(content: ResultContent): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'image':
    case 'document':
      return `[${content.type} ${content.mediaType}]`;
    default:
      return assertNever(content);
  }
}

function modelFallback({ from, to, reason }: EventOf<'model_fallback'>, style: Style): string {
  return `${INDENT}${style.yellow(`! ${printable(from)} can't answer (${reason}): asking ${printable(to)}`)}`;
}

function compacted({ summarized, kept, model, usage }: EventOf<'compacted'>, style: Style): string {
  const what = `${counted(summarized, 'message')} summarised by ${printable(model)}, ${grouped(kept)} kept`;
  return `${INDENT}${style.dim(`${what}, ${inAndOut(usage)}`)}`;
}

function limitReached(event: EventOf<'limit_reached'>, style: Style): string {
  const { limit, value, spent } = event;
  return `${INDENT}${style.yellow(`! ${limit} ${amount(limit, value)} reached, ${amount(limit, spent)} used`)}`;
}

function amount(limit: LimitName, value: number): string {
  switch (limit) {
    case 'maxCostUsdMicros':
      return usd(value);
    case 'maxDurationMs':
      return duration(value);
    case 'maxIterations':
    case 'maxCallsPerIteration':
    case 'maxTotalTokens':
      return grouped(value);
    default:
      return assertNever(limit);
  }
}

function usageLine(event: EventOf<'usage'>, style: Style): string {
  const { usage, costUsdMicros } = event;
  const turn = `Usage: ${spent(usage.turn, costUsdMicros.turn)}`;
  if (sameUsage(usage.turn, usage.total)) return style.dim(turn);
  return style.dim(`${turn}; the whole run: ${spent(usage.total, costUsdMicros.total)}`);
}

function spent(usage: Usage, costUsdMicros: number | null): string {
  const tokens = inAndOut(usage, ' tokens');
  return costUsdMicros === null ? tokens : `${tokens}, ${usd(costUsdMicros)}`;
}

function inAndOut(usage: Usage, unit = ''): string {
  const cached = usage.cacheReadTokens;
  const input = grouped(usage.inputTokens + cached + usage.cacheWriteTokens);
  const fromCache = cached > 0 ? ` (${grouped(cached)} from cache)` : '';
  const reasoning = usage.reasoningTokens > 0 ? ` (${grouped(usage.reasoningTokens)} reasoning)` : '';
  return `${input}${unit} in${fromCache}, ${grouped(usage.outputTokens)} out${reasoning}`;
}

function sameUsage(a: Usage, b: Usage): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function turnFinished(event: EventOf<'turn_finished'>, style: Style): string {
  const reason = event.reason === undefined ? '' : ` (${event.reason})`;
  const parts = [`Turn ${event.turn} ${event.status}${reason} after ${counted(event.iterations, 'iteration')}`];
  if (event.emptyAnswer === true) parts.push('the model had nothing to say');
  if (event.queued > 0) parts.push(`${counted(event.queued, 'message')} waiting`);
  return byStatus(event.status, style)(parts.join('; '));
}

function runFinished(event: EventOf<'run_finished'>, style: Style): string {
  const { status, reason, turns } = event.result;
  const why = reason === undefined ? '' : ` (${reason})`;
  return byStatus(status, style)(`Run ${status}${why} after ${counted(turns, 'turn')}`);
}

function byStatus(status: Status, style: Style): (text: string) => string {
  switch (status) {
    case 'completed':
      return style.dim;
    case 'limit_reached':
    case 'cancelled':
      return style.yellow;
    case 'refused':
    case 'truncated':
    case 'failed':
      return style.red;
    default:
      return assertNever(status);
  }
}

function historyExpired(event: EventOf<'history_expired'>, style: Style): string {
  const links = event.links.length === 1 ? `link ${event.links[0]}` : `links ${event.links.join(', ')}`;
  return style.yellow(`The history of ${links} is past the namespace's retention; what follows comes after it.`);
}

function promptText(prompt: Prompt): string {
  return typeof prompt === 'string' ? prompt : prompt.map(contentText).join(' ');
}

function line(text: string, used: number, style: Style): string {
  return oneLine(text, Math.max(style.columns - used, 20));
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, INDENT);
}
