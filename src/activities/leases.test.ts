import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isOrphaned, type Lease, leaseFileName, openLeases } from './lease-file.ts';
import { LeaseJournal } from './leases.ts';

let folder: string;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = join(mkdtempSync(join(tmpdir(), 'pawl-leases-')), 'leases');
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(join(folder, '..'), { recursive: true });
});

const OWNER = { pid: 4_711, started: 'boot-id:123+x' };

function lease(token: string): Lease {
  return { token, workflowId: 'run', runId: 'link', effect: 'once' };
}

function left(): Lease[] {
  return readdirSync(folder).flatMap((name) => openLeases(readFileSync(join(folder, name), 'utf8')));
}

test('an attempt stands in the journal from its start until some time after its end', () => {
  const journal = new LeaseJournal(folder, OWNER);
  journal.open(lease('a'));
  journal.open(lease('b'));
  journal.close('a');
  expect(left()).toEqual([lease('a'), lease('b')]);
  vi.advanceTimersByTime(5_000);
  expect(left()).toEqual([lease('b')]);
  journal.remove();
});

test('a clean stop leaves no file', () => {
  const journal = new LeaseJournal(folder, OWNER);
  journal.open(lease('a'));
  journal.close('a');
  journal.remove();
  vi.advanceTimersByTime(5_000);
  expect(readdirSync(folder)).toEqual([]);
});

test('nobody else can read the journal', () => {
  const journal = new LeaseJournal(folder, OWNER);
  const modes = [folder, ...readdirSync(folder).map((name) => join(folder, name))].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600]);
  journal.remove();
});

test('two journals of one process do not meet', () => {
  const journals = [new LeaseJournal(folder, OWNER), new LeaseJournal(folder, OWNER)];
  expect(readdirSync(folder)).toHaveLength(2);
  for (const journal of journals) journal.remove();
});

test('a line that a crash cut short is left out', () => {
  const journal = new LeaseJournal(folder, OWNER);
  journal.open(lease('a'));
  const [name = ''] = readdirSync(folder);
  writeFileSync(join(folder, name), '{"open":{"token":"b","workflowId":"r{}', { flag: 'a' });
  expect(left()).toEqual([lease('a')]);
  journal.remove();
});

test('a file is an orphan when its own process is gone, and never when it is another machine’s or no lease file', () => {
  const asked: unknown[] = [];
  const gone = (owner: unknown) => {
    asked.push(owner);
    return false;
  };
  const name = leaseFileName(OWNER, 'x');
  expect(isOrphaned(`/some/folder/${name}`, gone)).toBe(true);
  expect(asked).toEqual([OWNER]);
  expect(isOrphaned(name, () => true)).toBe(false);
  expect(isOrphaned(name.replace(/^[^+]*/, 'elsewhere'), gone)).toBe(false);
  expect(isOrphaned('notes.txt', gone)).toBe(false);
});
