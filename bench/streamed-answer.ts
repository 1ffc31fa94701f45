// The answers of the bench `adapters`. What is asked for stands in the model's name, as in the other benches.

import { type Said, WIRES, type WireUnderTest } from '../test/adapters/wires.ts';

/** The wires that are measured. */
export const WIRE_NAMES = ['anthropic', 'openai', 'openai-compatible', 'deepseek', 'google'] as const;

/** A text, or one call whose input holds that text. */
export const KINDS = ['text', 'call'] as const;

/** One answer of a wire. */
export interface StreamedAnswer {
  readonly wire: (typeof WIRE_NAMES)[number];
  readonly kind: (typeof KINDS)[number];
  readonly pieces: number;
  readonly charsPerPiece: number;
}

/** The name of the model that gives this answer. */
export function modelOf({ wire, kind, pieces, charsPerPiece }: StreamedAnswer): string {
  return `bench-${wire}-${kind}-${pieces}x${charsPerPiece}`;
}

/** What a request asks for: its model stands in the body, or in the path. Throws where it names none of this bench. */
export function readModel(request: string): StreamedAnswer {
  const [, name, kind, pieces, chars] = /bench-([a-z-]+)-(text|call)-(\d+)x(\d+)/.exec(request) ?? [];
  const wire = WIRE_NAMES.find((known) => known === name);
  if (wire === undefined) throw new Error('the request names no model of this bench');
  return { wire, kind: kind === 'text' ? 'text' : 'call', pieces: Number(pieces), charsPerPiece: Number(chars) };
}

/** The wire of that name, with its adapter. */
export function wireOf(name: StreamedAnswer['wire']): WireUnderTest {
  const wire = WIRES.find((known) => known.name === name);
  if (wire === undefined) throw new Error(`there is no wire ${name}`);
  return wire;
}

/** The events of the answer, each as the bytes of one write. */
export function eventsOf(answer: StreamedAnswer): readonly Buffer[] {
  const { stream } = wireOf(answer.wire);
  const bytes = answer.kind === 'text' ? stream(textOf(answer), 'stop') : stream(callOf(answer), 'calls');
  return bytes.split(/(?<=\n\n)/).map((event) => Buffer.from(event));
}

/** The whole text of the answer, or of the input of its call. */
export function wholeText(answer: StreamedAnswer): string {
  return piecesOf(answer).join('');
}

/** All different, and of ASCII: a character is a byte. */
function piecesOf({ pieces, charsPerPiece }: StreamedAnswer): readonly string[] {
  return Array.from({ length: pieces }, (_, index) => `${index} words `.repeat(charsPerPiece).slice(0, charsPerPiece));
}

function textOf(answer: StreamedAnswer): readonly Said[] {
  return piecesOf(answer).map((text) => ({ text }));
}

function callOf(answer: StreamedAnswer): readonly Said[] {
  const inputs = ['{"text":"', ...piecesOf(answer), '"}'];
  return [{ begin: 'write', call: 0, id: 'call_a' }, ...inputs.map((input) => ({ input, call: 0 }))];
}
