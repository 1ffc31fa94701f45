import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assertOneProtobuf } from './one-protobuf.ts';

function installPackage(folder: string, name: string): string {
  const path = join(folder, 'node_modules', name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'index.js'), '');
  return path;
}

it('is content with what the lockfile installs', () => {
  expect(() => assertOneProtobuf()).not.toThrow();
});

it('gives the line to paste where two copies are installed', () => {
  const project = mkdtempSync(join(tmpdir(), 'pawl-protobuf-'));
  for (const name of ['@temporalio/common', 'protobufjs']) installPackage(project, name);
  installPackage(installPackage(project, '@temporalio/proto'), 'protobufjs');
  expect(() => assertOneProtobuf(join(project, 'index.js'))).toThrow(
    /"overrides": \{ "protobufjs": "\d+\.\d+\.\d+" \}/,
  );
  rmSync(project, { recursive: true });
});
