import { join } from 'node:path';
import { type DataConverter, ExternalStorage } from '@temporalio/common';
import type { Config } from '../config.ts';
import { STORAGE_THRESHOLD_BYTES } from '../protocol/limits.ts';
import type { Target } from './connection.ts';
import { createDiskDriver } from './disk-driver.ts';
import { assertOneProtobuf } from './one-protobuf.ts';

/** A data converter that keeps large payloads in `storageDir`. Throws where that cannot work with what is installed. */
export function createDataConverter({ storageDir }: { readonly storageDir: string }): DataConverter {
  assertOneProtobuf();
  const drivers = [createDiskDriver(storageDir)];
  return { externalStorage: new ExternalStorage({ drivers, payloadSizeThreshold: STORAGE_THRESHOLD_BYTES }) };
}

/**
 * The data converter for a target. A folder is used where all processes share this machine, unless PAWL_STORAGE says
 * otherwise; undefined is the SDK's own converter. Worker and clients must agree.
 */
export function dataConverterFor(
  config: Pick<Config, 'home' | 'storage'>,
  target: Pick<Target, 'source'>,
): DataConverter | undefined {
  const storage = config.storage ?? (target.source === 'configured' ? 'none' : 'disk');
  return storage === 'disk' ? createDataConverter({ storageDir: join(config.home, 'payloads') }) : undefined;
}
