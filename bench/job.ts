// What a run of a bench does. The job stands in the name of the model, so that the fake service needs no memory.

import type { MessageAnswer } from '../test/fake-model-api/answers.ts';
import { answer, call, text } from '../test/fake-model-api/samples.ts';

/** So many iterations, each with so many calls of tools at once; then the answer. */
export interface Job {
  readonly iterations: number;
  readonly calls: number;
}

/** Tools of the benches: at most so many calls in an iteration. */
export const TOOL_NAMES = ['read_page', 'read_mail', 'read_log'] as const;

/** The name of the model that gives this job. */
export function modelOf({ iterations, calls }: Job): string {
  return `bench-${iterations}x${calls}`;
}

/** A request to the service: the run's job, and the iteration, counted from 1, for which it asks. */
export interface Asked {
  readonly job: Job;
  readonly iteration: number;
}

/** What a request asks for. Throws where its model is none of ours. */
export function readJob(body: string): Asked {
  const [, iterations, calls] = /"model":"bench-(\d+)x(\d+)"/.exec(body) ?? [];
  if (iterations === undefined || calls === undefined) throw new Error('the request names no model of a bench');
  return { job: { iterations: Number(iterations), calls: Number(calls) }, iteration: count(body, ASSISTANT) + 1 };
}

/** The model's answer. The inputs differ between iterations: the same calls again and again would end the run. */
export function answerTo({ job: { iterations, calls }, iteration }: Asked): MessageAnswer {
  if (iteration > iterations) return answer(text('All is read.'));
  return answer(
    ...TOOL_NAMES.slice(0, calls).map((name) => call(callIdOf(iteration, name), { page: iteration }, name)),
  );
}

/** Id of a call in an iteration. */
export function callIdOf(iteration: number, tool: string): string {
  return `toolu_${iteration}_${tool}`;
}

/** No result of a tool holds this: they are base64. */
const ASSISTANT = '"role":"assistant"';

/** Searched and not parsed: at 200 iterations a request has megabytes, and the service must not be what is measured. */
function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found++;
  return found;
}
