import type { Fact } from './facts.ts';

/** What was done more than once, counted from what the workers said. */
export class Tally {
  /** Requests to the model, those that were cut off included. */
  modelRequests = 0;
  /** Requests for an answer that had been given in full before. */
  repeatedAnswers = 0;
  toolStarts = 0;
  readonly #answered = new Set<number>();
  readonly #keys = new Set<string>();

  /** Calls of tools, however often each was started: a call keeps its idempotency key. */
  get toolCalls(): number {
    return this.#keys.size;
  }

  count(fact: Fact): void {
    switch (fact.type) {
      case 'model_asked':
        this.modelRequests++;
        if (this.#answered.has(fact.iteration)) this.repeatedAnswers++;
        break;
      case 'model_answered':
        this.#answered.add(fact.iteration);
        break;
      case 'tool_started':
        this.toolStarts++;
        this.#keys.add(fact.idempotencyKey);
        break;
      case 'ready':
      case 'model_wrote':
      case 'page_copied':
        break;
    }
  }
}
