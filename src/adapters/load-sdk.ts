import { ModelError } from './model-adapter.ts';

/** A provider's package: optional, so that a user installs only those that are used. */
export interface SdkPackage {
  readonly name: string;
  /** The version that the adapter is tested with. */
  readonly version: string;
}

/** What `load` imports. Throws ModelError `not_found`, not retryable, with the command to type where it is missing. */
export async function loadSdk<T>({ name, version }: SdkPackage, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    const message = `The package ${name} is not installed. Type: npm install ${name}@${version}`;
    throw new ModelError('not_found', message, { retryable: false, cause });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}
