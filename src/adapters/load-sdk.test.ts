import { describe, expect, it } from 'vitest';
import { loadSdk } from './load-sdk.ts';

const PACKAGE = { name: 'some-sdk', version: '1.2.3' };
const MISSING = 'a-package-that-nobody-installed';

describe('loadSdk', () => {
  it('gives what is loaded', async () => {
    expect(await loadSdk(PACKAGE, async () => 'loaded')).toBe('loaded');
  });

  it('says what to type where the package is missing', async () => {
    await expect(loadSdk(PACKAGE, () => import(MISSING))).rejects.toMatchObject({
      kind: 'not_found',
      retryable: false,
      message: 'The package some-sdk is not installed. Type: npm install some-sdk@1.2.3',
    });
  });

  it('hands on any other error', async () => {
    const error = new Error('broken');
    await expect(loadSdk(PACKAGE, () => Promise.reject(error))).rejects.toBe(error);
  });
});
