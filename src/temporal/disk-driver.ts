import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Payload,
  type StorageDriver,
  StorageDriverClaim,
  type StorageDriverStoreContext,
} from '@temporalio/common';
import proto from '@temporalio/proto';

const PayloadType = proto.temporal.api.common.v1.Payload;

/** File names may have 255 bytes on every usual file system. */
const MAX_NAME_CHARS = 180;

/** Thrown where a payload that a history points to is not in the folder. */
export class PayloadMissing extends Error {
  override readonly name = 'PayloadMissing';

  constructor(file: string, options?: ErrorOptions) {
    super(
      `The stored payload ${file} is missing. Every process that reads this run needs the same storage folder, ` +
        'and its files must live as long as the runs do.',
      options,
    );
  }
}

/**
 * Keeps large payloads as files `<namespace>/<workflow id>/<sha-256>` under `folder`, which all processes must share.
 * The same payload of the same run is one file, so storing it again writes nothing.
 */
export function createDiskDriver(folder: string): StorageDriver {
  return {
    name: 'pawl-disk',
    type: 'pawl.disk',
    store: (context, payloads) => Promise.all(payloads.map((payload) => store(folder, context, payload))),
    retrieve: (_context, claims) => Promise.all(claims.map((claim) => retrieve(folder, claim))),
  };
}

async function store(
  folder: string,
  { target }: StorageDriverStoreContext,
  payload: Payload,
): Promise<StorageDriverClaim> {
  const bytes = PayloadType.encode(payload).finish();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const key = [safeName(target?.namespace), safeName(target?.id), sha256].join('/');
  const file = join(folder, key);
  const size = await sizeOf(file);
  if (size !== bytes.byteLength) await writeWhole(file, bytes);
  return new StorageDriverClaim({ key });
}

async function retrieve(folder: string, claim: StorageDriverClaim): Promise<Payload> {
  const key = claim.claimData['key'] ?? '';
  const names = key.split('/');
  // The key comes out of a history, which others may write: it must not lead out of the folder.
  if (names.length !== 3 || names.some((name) => name !== safeName(name)))
    throw new Error(`no key of a payload: ${key}`);
  const file = join(folder, key);
  try {
    return PayloadType.decode(await readFile(file));
  } catch (error) {
    throw isMissing(error) ? new PayloadMissing(file, { cause: error }) : error;
  }
}

/** A reader never sees half a file: it gets its name when it is whole. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomUUID()}`;
  await writeFile(unfinished, bytes, { mode: 0o600, flush: true });
  await rename(unfinished, file);
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A name for a folder or file, distinct for distinct ids. A safe name is its own. */
function safeName(id: string | undefined): string {
  if (id === undefined || id === '') return '_';
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(id) && id.length <= MAX_NAME_CHARS) return id;
  const readable = id.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 80);
  return `${readable}.${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
