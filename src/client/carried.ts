import type { CarriedView } from '../protocol/carried.ts';
import type { RunRequest } from '../protocol/run.ts';
import type { RunView } from './run-view.ts';

/** The carried state among a link's arguments; undefined in the first link. */
export function carriedOf(args: readonly unknown[]): CarriedView | undefined {
  return args[1] as CarriedView | undefined;
}

/** The lines of the context that a link began with: its head, then one message a line. Empty in the first link. */
export function carriedLines(args: readonly unknown[]): readonly string[] {
  return args.slice(2).flatMap((segment) => String(segment).split('\n'));
}

/** Sets a view to where a link begins. */
export function restoreView(view: RunView, args: readonly unknown[]): void {
  const carried = carriedOf(args);
  view.request = args[0] as RunRequest;
  view.link = carried?.link ?? 1;
  view.pending.clear();
  view.open.clear();
  view.admitted.clear();
  view.memoResult = undefined;
  if (!carried) return;
  view.snapshot = carried.snapshot;
  view.turn = carried.turns;
  view.iteration = carried.turn?.iteration ?? 0;
  view.turnIsOpen = carried.turn !== null;
  view.usage = carried.spend.usage;
  view.costUsdMicros = carried.spend.costUsdMicros;
  view.lastText = carried.turn?.lastState.text ?? '';
  view.transcript = { length: Math.max(0, carriedLines(args).length - 1), digest: carried.transcript.digest };
  for (const [requestId] of carried.inbox.seen) view.seenRequests.add(requestId);
}
