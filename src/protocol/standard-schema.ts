import type { JsonObject } from './messages.ts';

/**
 * A schema of Zod 4.2 or newer, or of any library that follows Standard Schema and Standard JSON Schema
 * (https://standardschema.dev), which is made to be copied as types, so that no library is tied in.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Throws where the schema has no JSON form, for example a date. */
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
  };
}

/** What a check by a Standard Schema gives. */
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One fault that a Standard Schema found. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * The JSON Schema of what a Standard Schema takes. Throws an Error whose message says why there is none, to be put after
 * the name of what it is for.
 */
export function jsonSchemaOf({ '~standard': standard }: StandardSchema): JsonObject {
  if (typeof standard?.jsonSchema?.input !== 'function') {
    throw new Error(
      'is a Standard Schema that cannot give its JSON Schema; use Zod 4.2 or newer, or a plain JSON Schema',
    );
  }
  try {
    // `$schema` is the same for every schema and would only cost tokens.
    const { $schema: _, ...rest } = standard.jsonSchema.input({ target: 'draft-2020-12' });
    return JSON.parse(JSON.stringify(rest)) as JsonObject;
  } catch (cause) {
    throw new Error(`has no JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
