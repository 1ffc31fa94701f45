import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Payload, StorageDriverClaim } from '@temporalio/common';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDiskDriver, PayloadMissing } from './disk-driver.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-payloads-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const payload = (text: string): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(text),
});
const files = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

function store(text: string, id = 'run-1') {
  const context = { target: { kind: 'workflow' as const, namespace: 'default', id } };
  return createDiskDriver(folder).store(context, [payload(text)]);
}

it('gives back what it was given', async () => {
  const claims = await store('{"a":1}');
  const [found] = await createDiskDriver(folder).retrieve({}, claims);
  expect(Buffer.from(found?.data ?? []).toString()).toBe('{"a":1}');
  expect(Buffer.from(found?.metadata?.['encoding'] ?? []).toString()).toBe('json/plain');
});

it('names the file by namespace, run and content, for the owner’s eyes only', async () => {
  const [claim] = await store('x');
  const key = claim?.claimData['key'] ?? '';
  expect(key).toMatch(/^default\/run-1\/[0-9a-f]{64}$/);
  expect(statSync(join(folder, key)).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'default')).mode & 0o777).toBe(0o700);
});

it('keeps the same payload of a run once, also when it is stored many times at once', async () => {
  const claims = await Promise.all([store('x'), store('x'), store('x')]);
  await store('x');
  expect(new Set(claims.flat().map((claim) => claim.claimData['key'])).size).toBe(1);
  expect(files()).toHaveLength(1);
});

it('writes a file anew that a full disk had cut short', async () => {
  const [claim] = await store('x');
  writeFileSync(join(folder, claim?.claimData['key'] ?? ''), '');
  const claims = await store('x');
  const [found] = await createDiskDriver(folder).retrieve({}, claims);
  expect(Buffer.from(found?.data ?? []).toString()).toBe('x');
});

it.each(['../../etc', '..', '.', 'a/b', 'ünïcode 🙂', 'x'.repeat(1_000), 'new\nline', ''])(
  'keeps the run id %j inside its folder',
  async (id) => {
    const claims = await store('x', id);
    expect(files()).toHaveLength(1);
    expect(await createDiskDriver(folder).retrieve({}, claims)).toHaveLength(1);
  },
);

it('keeps apart ids that look alike when made safe', async () => {
  const claims = [...(await store('x', 'a/b')), ...(await store('x', 'a:b'))];
  expect(new Set(claims.map((claim) => claim.claimData['key'])).size).toBe(2);
});

it('names the file that is missing, and why that may be', async () => {
  const claims = await store('x');
  rmSync(join(folder, 'default'), { recursive: true });
  const missing = createDiskDriver(folder).retrieve({}, claims);
  await expect(missing).rejects.toThrow(PayloadMissing);
  await expect(missing).rejects.toThrow(/default\/run-1\/[0-9a-f]{64} is missing/);
});

it.each(['../../../etc/passwd', 'a/../b', '/etc/passwd', ''])(
  'refuses the key %j, which leads out of the folder',
  async (key) => {
    const claim = new StorageDriverClaim({ key });
    await expect(createDiskDriver(folder).retrieve({}, [claim])).rejects.toThrow('no key of a payload');
  },
);
