// Tool results for wires that have no error mark and take text only.

import type { DocumentBlock, ImageBlock, ResultBlock, ResultContent, TextBlock } from '../protocol/messages.ts';

/** A tool result must say something: an empty one reads like a mistake of the program. */
const NO_OUTPUT = '(no output)';

/** The text of a result, with a note in the place of each picture or file. Never empty. */
export function resultText(result: ResultBlock): string {
  const lines = result.content.map(lineOf).filter((line) => line.trim() !== '');
  return lines.length > 0 ? lines.join('\n') : NO_OUTPUT;
}

/** The same, and an error says that it is one. */
export function markedResultText(result: ResultBlock): string {
  return result.isError === true ? `Error: ${resultText(result)}` : resultText(result);
}

/** What a result shows beside its text: pictures, and files that are no text. */
export function resultMedia(result: ResultBlock): readonly (ImageBlock | DocumentBlock)[] {
  return result.content.filter(isMedia);
}

/** The text of a document that is one, under its title; undefined for a PDF. */
export function documentText(document: DocumentBlock): string | undefined {
  if (!document.mediaType.startsWith('text/')) return undefined;
  return document.title === undefined ? document.data : `${document.title}\n${document.data}`;
}

/** A name for a document that has none, as some services ask for one. */
export function documentName(document: DocumentBlock): string {
  return document.title ?? 'document.pdf';
}

/** A picture or file as the address that holds it. */
export function dataUrl({ mediaType, data }: ImageBlock | DocumentBlock): string {
  return `data:${mediaType};base64,${data}`;
}

function isMedia(content: ResultContent): content is ImageBlock | DocumentBlock {
  return content.type === 'image' || (content.type === 'document' && documentText(content) === undefined);
}

function lineOf(content: ResultContent): string {
  if (isMedia(content)) return `(${content.type} ${content.mediaType}, shown below)`;
  return textIn(content);
}

function textIn(content: TextBlock | DocumentBlock): string {
  return content.type === 'text' ? content.text : (documentText(content) ?? '');
}
