import { LRUCache } from 'lru-cache';
import { type ModelAdapter, ModelError } from './model-adapter.ts';
import { withOutputSchema } from './output-instruction.ts';

/** Schemas that were refused and are remembered, so that they are refused once and not once an iteration. */
const MAX_REMEMBERED = 100;

/**
 * An adapter that asks again with the schema of the answer in words where the service refuses the request with it. How
 * much a service can compile is told by no document, and servers differ in whether they know schemas at all; the words
 * of a refusal differ too, so any request that is refused as invalid is tried once without. A refusal costs no tokens.
 */
export function withSchemaFallback(adapter: ModelAdapter): ModelAdapter {
  const refused = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  return {
    prepare: async () => adapter.prepare?.(),
    async *stream(request, signal) {
      const { output } = request;
      if (output === undefined) return yield* adapter.stream(request, signal);
      const key = `${request.model} ${JSON.stringify(output)}`;
      try {
        if (!refused.has(key)) return yield* adapter.stream(request, signal);
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
      const instructions = withOutputSchema(request.instructions, output);
      for await (const event of adapter.stream({ ...request, instructions, output: undefined }, signal)) {
        refused.set(key, true); // it was the schema, since without it there is an answer
        yield event;
      }
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ModelError && error.kind === 'invalid_request' && error.status !== undefined;
}
