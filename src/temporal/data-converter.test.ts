import { describe, expect, it } from 'vitest';
import { STORAGE_THRESHOLD_BYTES } from '../protocol/limits.ts';
import { dataConverterFor } from './data-converter.ts';

describe('dataConverterFor', () => {
  it.each([
    ['embedded', undefined, true],
    ['local', undefined, true],
    ['configured', undefined, false],
    ['configured', 'disk', true],
    ['embedded', 'none', false],
  ] as const)('with a server that is %s and PAWL_STORAGE %s: a folder %s', (source, storage, expected) => {
    const converter = dataConverterFor({ home: '/tmp/pawl-none', storage }, { source });
    expect(converter?.externalStorage?.payloadSizeThreshold).toBe(expected ? STORAGE_THRESHOLD_BYTES : undefined);
  });
});
