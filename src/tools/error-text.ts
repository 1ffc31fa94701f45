import { cutText } from '../protocol/json.ts';
import { MAX_ERROR_TEXT_BYTES } from '../protocol/limits.ts';
import { wellFormed } from './well-formed.ts';

/** Causes that one line tells; deeper ones seldom say more. */
const MAX_CAUSES = 3;
/** Members of an AggregateError that one line tells. */
const MAX_MEMBERS = 3;
/** Read of any one message, so that a huge one costs nothing. Four times what is shown. */
const MAX_READ_CHARS = 4 * MAX_ERROR_TEXT_BYTES;

/** What the model reads when a handler threw: never empty, without stack, at most 4 KiB, for any thrown value. */
export function errorText(thrown: unknown, toolName: string): string {
  const text = errorLine(thrown);
  if (text !== '') return cutText(text, MAX_ERROR_TEXT_BYTES);
  return cutText(`The tool "${toolName}" failed and gave no reason.`, MAX_ERROR_TEXT_BYTES);
}

/** A thrown value in words: name, message and causes, without stack. Empty where it says nothing; never throws. */
export function errorLine(thrown: unknown): string {
  try {
    return describe(thrown, 0);
  } catch {
    // A getter or a proxy of the thrown value threw in turn: it says nothing that can be read.
    return '';
  }
}

function describe(thrown: unknown, depth: number): string {
  if (thrown === null || thrown === undefined) return '';
  if (typeof thrown === 'string') return clean(thrown);
  if (typeof thrown === 'function' || typeof thrown === 'symbol') return clean(String(thrown));
  if (typeof thrown !== 'object') return String(thrown);
  if (!('message' in thrown)) return describeObject(thrown);
  const own = [nameOf(thrown), messageOf(thrown)].filter((part) => part !== '').join(': ');
  const members = membersOf(thrown, depth);
  const text = [own, members].filter((part) => part !== '').join(': ');
  const cause = 'cause' in thrown && depth < MAX_CAUSES ? describe(thrown.cause, depth + 1) : '';
  if (cause === '' || text.includes(cause)) return text;
  return text === '' ? cause : `${text} (cause: ${cause})`;
}

function describeObject(thrown: object): string {
  const json = JSON.stringify(thrown);
  return json === undefined || json === '{}' ? '' : clean(json);
}

/** The error's name, where it says more than that it is an error or one of ours. */
function nameOf(thrown: object): string {
  const name = 'name' in thrown && typeof thrown.name === 'string' ? thrown.name : '';
  const empty = messageOf(thrown) === '';
  return name === 'Error' || name === 'ToolError' || (empty && name === 'AggregateError') ? '' : clean(name);
}

function messageOf(thrown: object): string {
  const message = 'message' in thrown && typeof thrown.message === 'string' ? clean(thrown.message) : '';
  if (message !== '') return message;
  return 'code' in thrown && typeof thrown.code === 'string' ? clean(thrown.code) : '';
}

function membersOf(thrown: object, depth: number): string {
  if (!('errors' in thrown) || !Array.isArray(thrown.errors) || depth >= MAX_CAUSES) return '';
  const told = thrown.errors.slice(0, MAX_MEMBERS).map((member) => describe(member, depth + 1));
  if (thrown.errors.length > MAX_MEMBERS) told.push(`and ${thrown.errors.length - MAX_MEMBERS} more`);
  return told.filter((part) => part !== '').join('; ');
}

/** A text without stack lines and lone surrogates, trimmed. */
function clean(text: string): string {
  return wellFormed(text.slice(0, MAX_READ_CHARS))
    .replace(/\n[ \t]+at [^\n]*/g, '')
    .trim();
}
