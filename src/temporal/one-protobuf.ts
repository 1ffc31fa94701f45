import { createRequire } from 'node:module';

/**
 * Throws where `@temporalio/common` and `@temporalio/proto` resolve different copies of protobufjs, with the line to
 * paste: each copy refuses the other's types, so every stored payload would fail. `from` is the file whose packages are
 * looked at.
 */
export function assertOneProtobuf(from = import.meta.url): void {
  const here = createRequire(from);
  const protobufOf = (name: string) => createRequire(here.resolve(name)).resolve('protobufjs');
  const [common, proto] = ['@temporalio/common', '@temporalio/proto'].map(protobufOf);
  if (common === proto) return;
  const { version } = createRequire(import.meta.url)('protobufjs/package.json') as { version: string };
  throw new Error(
    `Two copies of protobufjs are installed (${common} and ${proto}), and payloads of one are refused by the other. ` +
      `Add this to package.json and install again: "overrides": { "protobufjs": "${version}" }`,
  );
}
