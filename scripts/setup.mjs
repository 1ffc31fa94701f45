// Installs the dependencies where they are missing or older than the lockfile. Silent where there is nothing to do.
// Plain Node without any dependency: it runs before there is one, and says so on a Node that is too old.

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** What npm fetches into an empty cache, measured on Linux. */
const DOWNLOAD_SIZES = { run: 'about 150 MB', develop: 'about 250 MB' };
/** Stands for all packages of development: an install has all of them or none. */
const TOOL = 'vitest';
/** How often a second set-up looks whether the first has ended. */
const LOCK_POLL_MS = 100;

/** Whether the Node version, such as `20.19.0`, is at least the one in `engines`, such as `>=20.19`. */
export function isNewEnough(version, engines) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = engines.replace('>=', '').split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= (oldestMinor ?? 0));
}

/**
 * The arguments with which npm must be called, or undefined where all is there. `purpose` is `run`, or `develop` for what
 * tests and checks need as well. npm writes the hidden lockfile last, so its time is that of the last whole install.
 */
export function neededInstall(root, purpose) {
  const installed = statSync(join(root, 'node_modules', '.package-lock.json'), { throwIfNoEntry: false });
  const hasTools = existsSync(join(root, 'node_modules', TOOL));
  if (installed === undefined || installed.mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs) {
    return purpose === 'develop' || hasTools ? ['ci', '--include=dev'] : ['ci', '--omit=dev'];
  }
  // Adds what is missing. `npm ci` would begin by taking away what a background worker runs on.
  return purpose === 'run' || hasTools ? undefined : ['install', '--no-save', '--include=dev'];
}

/** Runs `work` while no other set-up holds the lock file. One that died loses it. */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let told = false;
  while (!tryLock(path)) {
    const owner = ownerOf(path);
    if (isDead(owner)) rmSync(path, { force: true });
    else {
      if (!told) process.stderr.write(`Waiting for the set-up by process ${owner ?? '?'} (${path})\n`);
      told = true;
      await delay(LOCK_POLL_MS);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** A hard link appears with its content, so that nobody sees a lock without an owner. */
function tryLock(path) {
  const own = `${path}.${randomUUID()}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function ownerOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined; // given back a moment ago
    throw error;
  }
}

function isDead(pid) {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function install(root, purpose) {
  const args = neededInstall(root, purpose);
  if (args === undefined) return 0;
  const size = DOWNLOAD_SIZES[args.includes('--omit=dev') ? 'run' : 'develop'];
  process.stderr.write(`Installing the dependencies with npm ${args.join(' ')}: ${size} (once)\n`);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const quiet = ['--no-audit', '--no-fund'];
  const { status, error } = spawnSync(npm, [...args, ...quiet], { cwd: root, stdio: ['ignore', 2, 2] });
  if (error !== undefined) process.stderr.write(`npm cannot be started: ${error.message}\n`);
  return status ?? 1;
}

async function setUp(root, purpose) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (!isNewEnough(process.versions.node, engines.node)) {
    process.stderr.write(`Pawl needs Node ${engines.node}; this is ${process.versions.node}. See https://nodejs.org\n`);
    return 1;
  }
  if (neededInstall(root, purpose) === undefined) return 0;
  return withLock(join(root, '.pawl', 'setup.lock'), () => install(root, purpose));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const purpose = process.argv[2] === 'run' ? 'run' : 'develop';
  process.exitCode = await setUp(dirname(dirname(fileURLToPath(import.meta.url))), purpose);
}
