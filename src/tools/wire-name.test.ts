import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toWireName, toWireNames } from './wire-name.ts';

const LONG = 'export_quarterly_report_for_all_business_units_including_subsidiaries_and_partners_variant_alpha';

test('a legal name stays as it is', () => {
  for (const name of ['search_web', 'a', 'A-1', 'x'.repeat(64), 'constructor']) expect(toWireName(name)).toBe(name);
});

test('any other name becomes its legal part and a hash, the same for ever', () => {
  expect(toWireName('files.read')).toBe('files_read_601e4eb6');
  expect(toWireName('Docker scan')).toMatch(/^Docker_scan_[0-9a-f]{8}$/);
  expect(toWireName(LONG)).toMatch(/^export_quarterly_report_\w+_[0-9a-f]{8}$/);
  expect(toWireName('データ')).toMatch(/^tool_[0-9a-f]{8}$/);
});

test('names that mean something to Temporal are never given', () => {
  expect(toWireName('default')).toMatch(/^default_[0-9a-f]{8}$/);
  expect(toWireName('__temporal_x')).toMatch(/^temporal_x_[0-9a-f]{8}$/);
});

test('a made name gives way to a tool that really has it, whatever the order', () => {
  const made = toWireName('files.read');
  const names = toWireNames([made, 'files.read']);
  expect(names.get(made)).toBe(made);
  expect(names.get('files.read')).toMatch(/^files_read_[0-9a-f]{8}$/);
  expect(new Set(names.values()).size).toBe(2);
  expect(toWireNames(['files.read', made])).toEqual(names);
});

test('wire names of any distinct names are legal and distinct', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('a.b', 'a b', 'a_b', 'default', LONG, `${LONG}2`));
  fc.assert(
    fc.property(fc.uniqueArray(name), (names) => {
      const wireNames = [...toWireNames(names).values()];
      expect(new Set(wireNames).size).toBe(names.length);
      for (const wireName of wireNames) {
        expect(wireName).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(wireName).not.toMatch(/^(default$|__temporal)/);
      }
    }),
  );
});
