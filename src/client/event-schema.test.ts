import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { HandMadeHistory } from '../../test/client/hand-made-history.ts';
import type { RunEvent } from '../protocol/events.ts';
import { runEventJsonSchema, type runEventSchema } from './event-schema.ts';
import { createReducer } from './history-events.ts';

test('the schema of events and their type say the same', () => {
  expectTypeOf<z.infer<typeof runEventSchema>>().toExtend<RunEvent>();
  expectTypeOf<RunEvent>().toExtend<z.infer<typeof runEventSchema>>();
});

test('the JSON Schema takes real events and refuses what is none', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(runEventJsonSchema);
  const reducer = createReducer('r1');
  const events = new HandMadeHistory()
    .begin()
    .close()
    .events.flatMap((event) => reducer.push(event));
  expect(events.length).toBeGreaterThan(2);
  for (const event of events) expect(validate(JSON.parse(JSON.stringify(event))), JSON.stringify(event)).toBe(true);
  expect(validate({ ...events[0], type: 'run_begun' })).toBe(false);
  expect(validate({ ...events[0], more: 1 })).toBe(false);
});
