import type { HookPlace } from './hooks.ts';

/** How much of the text a heartbeat carries, in UTF-16 units: more than a screen, and small enough for four beats a second. */
const MAX_CHARS = 8 * 1024;

/** What the heartbeat of a live model call carries: the end of the text so far. A higher attempt replaces a lower one. */
export interface LiveDetails {
  readonly turn: number;
  readonly iteration: number;
  readonly attempt: number;
  /** Place of the first unit of `text` in the whole text, in UTF-16 units. */
  readonly offset: number;
  readonly text: string;
}

/** The text that a model is writing, as people watch it. */
export class LiveText {
  readonly #place: HookPlace;
  #length = 0;
  #tail = '';

  constructor(place: HookPlace) {
    this.#place = place;
  }

  add(text: string): void {
    this.#length += text.length;
    this.#tail = (this.#tail + text).slice(-MAX_CHARS);
  }

  readonly details = (): LiveDetails => {
    const { turn, iteration, attempt } = this.#place;
    return { turn, iteration, attempt, offset: this.#length - this.#tail.length, text: this.#tail };
  };

  /** Changes with the text. */
  readonly version = (): number => this.#length;
}
