// The Gemini wire: what it refuses, and a whole answer as the chunks of its stream.

import { isDeepStrictEqual } from 'node:util';
import { breaksGeminiSubset } from '../fake-model-api/gemini-subset.ts';
import { pieces } from '../fake-openai-api/chat.ts';
import {
  firstComplaint,
  frames,
  isObject,
  type Json,
  LEGAL_NAME,
  objectsIn,
  type Wire,
} from '../fake-openai-api/wire-fake.ts';
import { outputSchemaComplaint } from './output-schema-rule.ts';

/** What a first call may have in the place of a signature of the service's own. */
const SKIP = 'skip_thought_signature_validator';
const OLD_MODEL = /models\/gemini-[12](\.|-)/;
const STATUSES: Readonly<Record<number, string>> = { 400: 'INVALID_ARGUMENT', 500: 'INTERNAL' };

/** The Gemini API, `streamGenerateContent`. */
export const geminiWire: Wire = { complaintAbout, toStream, toError };

function toError(status: number, message: string): Json {
  return { error: { code: status, message, status: STATUSES[status] ?? 'UNKNOWN' } };
}

function complaintAbout(body: Json, sent: readonly Json[], path: string): string | undefined {
  const contents = objectsIn(body['contents']);
  if (contents.length === 0) return 'contents is not specified';
  if (contents[0]?.['role'] !== 'user') return 'the first content is not the user’s';
  return (
    firstComplaint(contents, contentComplaint) ??
    pairsComplaint(contents) ??
    (OLD_MODEL.test(path) ? undefined : firstComplaint(contents, (content) => signatureComplaint(content, sent))) ??
    firstComplaint(objectsIn(body['tools']), toolComplaint) ??
    outputSchemaComplaint(Object(body['generationConfig'])) ??
    (OLD_MODEL.test(path) ? formatComplaint(body) : undefined)
  );
}

function contentComplaint({ role, parts }: Json): string | undefined {
  if (role !== 'user' && role !== 'model') return `Please use a valid role: user, model. Got ${String(role)}.`;
  const all = objectsIn(parts);
  if (all.length === 0) return 'must include at least one parts field';
  return firstComplaint(all, (part) => {
    const isEmpty = part['text'] === '' && part['thoughtSignature'] === undefined;
    return isEmpty
      ? 'a text is empty'
      : (callComplaint(part['functionCall']) ?? responseComplaint(part['functionResponse']));
  });
}

function callComplaint(call: unknown): string | undefined {
  if (call === undefined) return undefined;
  if (!isObject(call) || !LEGAL_NAME.test(String(call['name']))) return 'function_call.name: invalid';
  return isObject(call['args']) ? undefined : 'function_call.args: no object';
}

function responseComplaint(response: unknown): string | undefined {
  if (response === undefined) return undefined;
  if (!isObject(response) || !LEGAL_NAME.test(String(response['name'])))
    return 'function_response.name: cannot be empty';
  return isObject(response['response']) ? undefined : 'function_response.response: no object';
}

/** A content with calls is followed by one that answers each of them, in order, and holds nothing else. */
function pairsComplaint(contents: readonly Json[]): string | undefined {
  return firstComplaint([...contents.entries()], ([index, content]) => {
    const calls = fieldsIn(content, 'functionCall');
    const next = contents[index + 1] ?? {};
    const responses = fieldsIn(next, 'functionResponse');
    if (calls.length > 0 && responses.length !== objectsIn(next['parts']).length) return 'responses beside other parts';
    if (calls.length !== responses.length) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts.';
    }
    const isSame = calls.every(
      (call, n) => call['name'] === responses[n]?.['name'] && call['id'] === responses[n]?.['id'],
    );
    if (!isSame) return 'responses do not follow their calls';
    return index === 0 && fieldsIn(content, 'functionResponse').length > 0 ? 'a response without a call' : undefined;
  });
}

function fieldsIn(content: Json, field: string): readonly Json[] {
  return objectsIn(content['parts'])
    .map((part) => part[field])
    .filter(isObject);
}

/** The first call of each answer has its signature; a content that the service sent comes back unchanged. */
function signatureComplaint(content: Json, sent: readonly Json[]): string | undefined {
  const first = objectsIn(content['parts']).find((part) => 'functionCall' in part);
  if (first === undefined) return undefined;
  const signature = first['thoughtSignature'];
  if (typeof signature !== 'string') return 'Function call is missing a thought_signature in functionCall parts.';
  if (signature === SKIP) return undefined;
  const isSent = sent.some((answer) => isDeepStrictEqual(partsOf(answer), content['parts']));
  return isSent ? undefined : 'Thought signature is not valid.';
}

function toolComplaint(tool: Json): string | undefined {
  return firstComplaint(objectsIn(tool['functionDeclarations']), ({ name, parameters, parametersJsonSchema }) => {
    if (!LEGAL_NAME.test(String(name))) return `Invalid function name ${JSON.stringify(name)}`;
    if (parameters !== undefined && parametersJsonSchema !== undefined) return 'two schemas for one function';
    return parameters !== undefined && breaksGeminiSubset(parameters) ? 'Unknown name in a schema' : undefined;
  });
}

/** Old models give JSON or call functions, and not both in one request. */
function formatComplaint({ generationConfig, tools }: Json): string | undefined {
  const isJson = isObject(generationConfig) && generationConfig['responseMimeType'] === 'application/json';
  const mixes = isJson && objectsIn(tools).length > 0;
  return mixes ? 'Function calling with a response mime type: application/json is unsupported' : undefined;
}

function partsOf(answer: Json): unknown {
  const [candidate] = objectsIn(answer['candidates']);
  return candidate !== undefined && isObject(candidate['content']) ? candidate['content']['parts'] : undefined;
}

/** An answer as chunks: plain texts in pieces, every other part whole, the finish reason with the usage at the end. */
function toStream(answer: Json): string {
  const { candidates, usageMetadata, ...head } = answer;
  const [candidate] = objectsIn(candidates);
  if (candidate === undefined) return frames(answer);
  const { content, ...last } = candidate;
  const parts = isObject(content) ? objectsIn(content['parts']) : [];
  return frames(
    ...parts
      .flatMap(partPieces)
      .map((part) => ({ ...head, candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] })),
    { ...head, candidates: [last], ...(usageMetadata !== undefined && { usageMetadata }) },
  );
}

function partPieces(part: Json): readonly Json[] {
  const isPlain =
    typeof part['text'] === 'string' && Object.keys(part).every((key) => key === 'text' || key === 'thought');
  return isPlain ? pieces(part['text']).map((text) => ({ ...part, text })) : [part];
}
