import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../protocol/messages.ts';

/** One fault of an input. `path` is dotted, and empty for the input as a whole. */
export interface InputFault {
  readonly path: string;
  readonly message: string;
}

/** A fault as a message tells it. */
export function faultText({ path, message }: InputFault): string {
  return path === '' ? message : `${path}: ${message}`;
}

const OPTIONS: Options = {
  allErrors: true,
  // Schemas come from other people and other tools: words that Ajv does not know are theirs, not faults.
  strict: false,
  validateFormats: false,
  unicodeRegExp: false,
  // Two tools may well have the same `$id`.
  addUsedSchema: false,
  logger: false,
};

/** With `addUsedSchema` off, Ajv finds the root of a schema that refers to itself only where the schema has an id. */
const NAMELESS = 'schema';

// Ajv takes a tenth of a second to load, which a worker whose tools all use Zod never pays.
const load = createRequire(import.meta.url);

type Draft = 'draft-07' | '2020-12';
const instances = new Map<Draft, Ajv | Ajv2020>();

/** The fault of a JSON Schema as a text; undefined for a valid one. A reference that leads nowhere shows at first use. */
export function jsonSchemaProblem(schema: JsonObject): string | undefined {
  const ajv = ajvFor(schema);
  if (ajv.validateSchema(withoutDialect(schema)) === true) return undefined;
  return (ajv.errors ?? []).slice(0, 3).map(faultOf).map(faultText).join('; ');
}

/**
 * A check of inputs against a JSON Schema; an empty list means valid. Draft 2020-12 unless `$schema` names an older one.
 * The schema is compiled at the first call, once. Throws where it cannot be compiled.
 */
export function createJsonSchemaCheck(schema: JsonObject): (input: JsonObject) => readonly InputFault[] {
  let validate: ValidateFunction | undefined;
  return (input) => {
    validate ??= ajvFor(schema).compile({ $id: NAMELESS, ...withoutDialect(schema) });
    if (validate(input) === true) return [];
    return (validate.errors ?? []).map(faultOf);
  };
}

function ajvFor(schema: JsonObject): Ajv | Ajv2020 {
  const draft = /draft-0[3-7]/.test(String(schema['$schema'])) ? 'draft-07' : '2020-12';
  const known = instances.get(draft);
  if (known !== undefined) return known;
  const made = newAjv(draft);
  instances.set(draft, made);
  return made;
}

function newAjv(draft: Draft): Ajv | Ajv2020 {
  if (draft === 'draft-07') return new (load('ajv') as typeof import('ajv')).Ajv(OPTIONS);
  return new (load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')).Ajv2020(OPTIONS);
}

// Ajv refuses a `$schema` that it has no meta schema for, though it can check by the nearest draft.
function withoutDialect(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  return rest;
}

function faultOf(error: ErrorObject): InputFault {
  return { path: pathOf(error), message: messageOf(error) };
}

function messageOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not allowed';
    case 'enum':
      return `must be one of ${JSON.stringify(error.params['allowedValues'])}`;
    case 'const':
      return `must be ${JSON.stringify(error.params['allowedValue'])}`;
    default:
      return error.message ?? `breaks the rule "${error.keyword}"`;
  }
}

function pathOf(error: ErrorObject): string {
  const params = error.params as Readonly<Record<string, unknown>>;
  const extra = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  const parts = error.instancePath.split('/').slice(1).map(unescapePointer);
  if (typeof extra === 'string') parts.push(extra);
  return parts.reduce((path, part) => {
    if (path !== '' && /^\d+$/.test(part)) return `${path}[${part}]`;
    return path === '' ? part : `${path}.${part}`;
  }, '');
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
