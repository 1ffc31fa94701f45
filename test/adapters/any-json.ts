import fc from 'fast-check';
import type { JsonValue } from '../../src/protocol/messages.ts';

/** Values as they come out of JSON, which knows no negative zero. */
export function anyJson(): fc.Arbitrary<JsonValue> {
  return fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
}
