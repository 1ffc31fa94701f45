import { expect, it } from 'vitest';
import { wireName } from './wire-names.ts';

it.each(['look', 'Look-2_b', 'x'.repeat(64)])('leaves a legal name alone: %s', (name) => {
  expect(wireName(name)).toBe(name);
});

it.each([
  ['default_api.look', 'default_api_look'],
  ['my tool!', 'my_tool_'],
  ['日本', '__'],
  ['x'.repeat(65), 'x'.repeat(64)],
])('makes %s legal', (name, legal) => {
  expect(wireName(name)).toBe(legal);
});
