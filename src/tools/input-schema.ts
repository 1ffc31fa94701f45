import type { JsonObject } from '../protocol/messages.ts';
import { jsonSchemaOf, type StandardIssue, type StandardSchema } from '../protocol/standard-schema.ts';
import { printed } from './definition-error.ts';
import { createJsonSchemaCheck, faultText, type InputFault, jsonSchemaProblem } from './json-schema.ts';

/** What a tool's `input` may be: a schema of Zod 4 or another library of the Standard Schema family, or JSON Schema. */
export type InputSchema = StandardSchema | JsonObject;

/** What a handler gets for a schema: the parsed value of a Standard Schema, the checked input of a JSON Schema. */
export type InputOf<S extends InputSchema> = S extends StandardSchema
  ? NonNullable<S['~standard']['types']>['output']
  : JsonObject;

/** One input, checked. `path` is dotted, such as `items[2].name`, and empty for the input as a whole. */
export type InputCheck =
  | { readonly status: 'valid'; readonly value: unknown }
  | { readonly status: 'invalid'; readonly path: string; readonly message: string };

/** A schema as the model is told of it, and the check that belongs to it. */
export interface CompiledInput {
  readonly inputSchema: JsonObject;
  /** Never rejects: a check that fails by itself is an invalid input that says so. */
  validate(input: JsonObject): Promise<InputCheck>;
}

/** Faults that one message tells; the model mends these first. */
const MAX_TOLD_FAULTS = 5;

/** Compiles a tool's input schema. Returns the fault as a text where it is no schema of an object. */
export function compileInput(input: unknown): CompiledInput | string {
  if (input === null || (typeof input !== 'object' && typeof input !== 'function') || Array.isArray(input)) {
    return `input must be a Zod 4 or Standard Schema object, or a JSON Schema, not ${printed(input)}`;
  }
  if ('~standard' in input) return compileStandard(input as StandardSchema);
  return compileJsonSchema(input as JsonObject);
}

function compileStandard(schema: StandardSchema): CompiledInput | string {
  let inputSchema: JsonObject;
  try {
    inputSchema = jsonSchemaOf(schema);
  } catch (error) {
    return `input ${error instanceof Error ? error.message : printed(error)}`;
  }
  if (inputSchema['type'] !== 'object') return notAnObject(inputSchema);
  return { inputSchema, validate: (value) => checkStandard(schema['~standard'], value) };
}

function compileJsonSchema(schema: JsonObject): CompiledInput | string {
  if (schema['type'] !== 'object') return notAnObject(schema);
  const problem = jsonSchemaProblem(schema);
  if (problem !== undefined) return `input is no valid JSON Schema: ${problem}`;
  const inputSchema = JSON.parse(JSON.stringify(schema)) as JsonObject;
  const check = createJsonSchemaCheck(inputSchema);
  return {
    inputSchema,
    validate: async (value) => {
      try {
        const faults = check(value);
        return faults.length === 0 ? { status: 'valid', value } : invalid(faults);
      } catch (error) {
        return brokenSchema(error);
      }
    },
  };
}

function notAnObject(schema: JsonObject): string {
  return `input must be the schema of an object (its JSON Schema has type ${printed(schema['type'])})`;
}

async function checkStandard(standard: StandardSchema['~standard'], input: JsonObject): Promise<InputCheck> {
  try {
    const checked = await standard.validate(input);
    if (checked.issues === undefined) return { status: 'valid', value: checked.value };
    return invalid(checked.issues.map(({ path, message }) => ({ path: dotted(path ?? []), message })));
  } catch (error) {
    return brokenSchema(error);
  }
}

function dotted(path: NonNullable<StandardIssue['path']>): string {
  let text = '';
  for (const part of path) {
    const key = typeof part === 'object' ? part.key : part;
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}

function invalid(faults: readonly InputFault[]): InputCheck {
  const told = faults.slice(0, MAX_TOLD_FAULTS).map(faultText);
  if (faults.length > told.length) told.push(`and ${faults.length - told.length} more faults`);
  return { status: 'invalid', path: faults[0]?.path ?? '', message: told.join('; ') };
}

function brokenSchema(error: unknown): InputCheck {
  const why = error instanceof Error ? error.message : printed(error);
  return { status: 'invalid', path: '', message: `the tool's own input schema cannot check it: ${why}` };
}
