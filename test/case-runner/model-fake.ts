// The fake model API of a case, whatever its wire.

import type { Answer, HttpAnswer, ScriptEntry } from '../fake-model-api/answers.ts';
import { startFakeModelApi } from '../fake-model-api/fake-model-api.ts';
import type { Checked } from '../fake-model-api/paths.ts';
import type { Placeholders } from '../fake-model-api/placeholders.ts';
import { createScript } from '../fake-model-api/script.ts';
import { startWireFake, type WireAnswer, type WireFake } from '../fake-openai-api/wire-fake.ts';
import type { CaseFile } from './case-format.ts';
import { caseProvider, SUMMARY_MODEL } from './case-providers.ts';

/** A request that reached the fake, in milliseconds since the epoch. */
export interface ModelRequestSeen extends Checked {
  readonly at: number;
  /** Absent before the answer has ended. */
  readonly responseEndedAt?: number;
}

/** A running fake of any wire. */
export interface ModelFake {
  /** Address of the server, without a path. */
  readonly url: string;
  readonly requests: readonly ModelRequestSeen[];
  /** The complaints of the requests that were refused. They take no answer from the list. */
  readonly rejections: readonly string[];
  /** Number of requests that came after the list of answers was used up. */
  readonly overruns: number;
  /** Resolves when request number `n` (0-based) has arrived. */
  waitForRequest(n: number): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts the fake that a case names. Throws for an answer that the fake of its wire cannot give. */
export async function startModelFake(file: CaseFile, placeholders: Placeholders): Promise<ModelFake> {
  const responses = answersOf(file);
  const { wire } = caseProvider(file.provider);
  if (wire === undefined) return startMessagesFake(file, responses, placeholders);
  const answers = wireAnswers(responses, placeholders);
  const rules = file.strict_api === false ? { ...wire, complaintAbout: () => undefined } : wire;
  return new WireModelFake(await startWireFake(rules, ...answers), answers.length);
}

/** Requests for summaries are answered apart, and are no model calls of the case. */
async function startMessagesFake(
  { strict_api: strict, compaction_response: response }: CaseFile,
  responses: readonly ScriptEntry[],
  placeholders: Placeholders,
): Promise<ModelFake> {
  const compaction = response && { model: SUMMARY_MODEL, response: response as unknown as Answer };
  const fake = await startFakeModelApi({ responses, strict, placeholders, compaction });
  return {
    url: fake.url,
    get requests() {
      return fake.requests.filter(({ model }) => model !== SUMMARY_MODEL);
    },
    get rejections() {
      return fake.rejections;
    },
    get overruns() {
      return fake.overruns;
    },
    waitForRequest: (n) => fake.waitForRequest(n),
    close: () => fake.close(),
  };
}

function answersOf({ model_responses: main, extra_responses_allowed: extra = [], then_by_state: state }: CaseFile) {
  const last = state === undefined ? [] : [{ then_by_state: state }];
  return [...main, ...extra, ...last] as unknown as ScriptEntry[];
}

/** All answers of a list, in order, repeats and cycles taken apart. */
function wireAnswers(responses: readonly ScriptEntry[], placeholders: Placeholders): readonly WireAnswer[] {
  const script = createScript({ responses, placeholders });
  const answers: WireAnswer[] = [];
  for (let answer = script({}); answer !== undefined; answer = script({})) {
    answers.push(wireAnswer(answer));
  }
  return answers;
}

function wireAnswer(answer: Answer): WireAnswer {
  const { status, headers, body, ...more } = answer as Partial<HttpAnswer>;
  const [word] = Object.keys(more);
  if (word !== undefined) throw new Error(`the fake of this wire does not know the word ${word} in an answer`);
  if (status === undefined) throw new Error('the fake of this wire wants a status in each answer');
  return { status, headers, body };
}

class WireModelFake implements ModelFake {
  readonly requests: ModelRequestSeen[] = [];
  readonly #fake: WireFake;
  readonly #answers: number;

  constructor(fake: WireFake, answers: number) {
    this.#fake = fake;
    this.#answers = answers;
    void this.#watch();
  }

  get url(): string {
    return this.#fake.url;
  }

  get rejections(): readonly string[] {
    return this.#fake.rejections;
  }

  get overruns(): number {
    return Math.max(0, this.requests.length - this.rejections.length - this.#answers);
  }

  waitForRequest(n: number): Promise<unknown> {
    return this.#fake.arrived(n);
  }

  close(): Promise<void> {
    return this.#fake.close();
  }

  /** Notes when each request came and when its answer ended. */
  async #watch(): Promise<never> {
    for (let n = 0; ; n++) {
      const { body, closed } = await this.#fake.arrived(n);
      // The same text as what came: the SDKs write JSON as `JSON.stringify` does.
      const request: { -readonly [K in keyof ModelRequestSeen]: ModelRequestSeen[K] } = {
        at: Date.now(),
        body,
        text: JSON.stringify(body),
      };
      this.requests.push(request);
      void closed.then(() => {
        request.responseEndedAt = Date.now();
      });
    }
  }
}
