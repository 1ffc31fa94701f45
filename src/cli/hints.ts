import type { Style } from './style.ts';

/** A line to type, and what it is good for. */
interface Hint {
  readonly line: string;
  readonly purpose: string;
}

/** What somebody who has just seen a run may want to type next. */
export function nextHints(pawl: string, run: string): readonly Hint[] {
  return [
    { line: `${pawl} show ${quoted(run)}`, purpose: 'read this run again' },
    { line: `${pawl} run --chat "What time is it in Lima?"`, purpose: 'start a conversation' },
    lastHint(pawl),
  ];
}

/** How a chat that waits is gone on with. */
export function chatHints(pawl: string, run: string): readonly Hint[] {
  return [
    { line: `${pawl} send ${quoted(run)} "…"`, purpose: 'say more' },
    { line: `${pawl} show ${quoted(run)}`, purpose: 'read this run again' },
    { line: `${pawl} close ${quoted(run)}`, purpose: 'end the conversation' },
  ];
}

/** How a run that goes on by itself is met again. */
export function detachedHints(pawl: string, run: string): readonly Hint[] {
  return [
    { line: `${pawl} attach ${quoted(run)}`, purpose: 'follow it again' },
    { line: `${pawl} cancel ${quoted(run)}`, purpose: 'stop it' },
  ];
}

/** Hints below each other, their purposes in one column. */
export function formatHints(hints: readonly Hint[], style: Style): string {
  const width = Math.max(...hints.map(({ line }) => line.length));
  return hints.map(({ line, purpose }) => `  ${line.padEnd(width)}  ${style.dim(purpose)}`).join('\n');
}

/** A word as a shell takes it: quoted where it must be. */
export function quoted(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function lastHint(pawl: string): Hint {
  // The demo of a kill is a script of the repository; who installed the package has the list instead.
  return pawl.startsWith('npm ')
    ? { line: 'npm run demo:kill', purpose: 'kill a worker in the middle of a run, and see the run go on' }
    : { line: `${pawl} list`, purpose: 'see all runs' };
}
