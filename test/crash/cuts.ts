import type { FakeModelApi } from '../fake-model-api/fake-model-api.ts';
import type { RecordedRequest } from '../fake-model-api/recorded-request.ts';
import { FATAL_ITERATION, type ModelPoint } from './fates.ts';
import type { Course, Fleet } from './fleet.ts';
import { iterationOf } from './script.ts';

/** Hooks of the fake API that kill the worker at the point of an answer that is its fate. */
export function cuts(fleet: () => Fleet) {
  const cut = (point: ModelPoint, where: string) => (request: RecordedRequest) => {
    if (fleet().fate !== point || iterationOf(request) !== FATAL_ITERATION) return undefined;
    fleet().kill(where);
    return new Promise(() => undefined); // nothing more of this answer may leave: its reader is as good as gone
  };
  return {
    beforeHeaders: cut('before_headers', 'before the headers of an answer'),
    afterFirstDelta: cut('first_delta', 'after the first delta of an answer'),
    afterLastDelta: cut('last_delta', 'after the last delta of an answer, before its end'),
  };
}

/** Prints where workers were lost, and how soon the model was asked again. */
export function tellLosses({ losses }: Course, { requests }: Pick<FakeModelApi, 'requests'>): void {
  for (const { where, atMs } of losses) {
    const next = requests.find((request) => request.at > atMs);
    const gap = next === undefined ? 'none came' : `${next.at - atMs} ms later`;
    process.stdout.write(`worker lost ${where}; next model request: ${gap}\n`);
  }
}
