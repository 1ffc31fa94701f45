import { afterEach, describe, expect, it } from 'vitest';
import type { CaseFile, Json } from './case-format.ts';
import { type ModelFake, startModelFake } from './model-fake.ts';

const COMPLETION = {
  id: 'c',
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { content: '{{n}}' } }],
};
const ANSWER = { status: 200, body: COMPLETION };
const QUESTION = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const EMPTY = { model: 'm', messages: [] };

let fake: ModelFake | undefined;

afterEach(() => fake?.close());

function aCase(answers: readonly Json[], changes: Partial<CaseFile> = {}): CaseFile {
  return { id: 'X', provider: 'openai-chat', input: [], model_responses: answers, tools: [], expect: {}, ...changes };
}

async function ask(url: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

describe('the fake of a wire', () => {
  it('gives the answers of the case in order, refuses by its rules, and counts what is too much', async () => {
    fake = await startModelFake(aCase([{ repeat: 2, response: ANSWER }]), {});
    expect(await ask(fake.url, EMPTY)).toMatchObject({ status: 400 });
    expect((await ask(fake.url, QUESTION)).text).toContain('"content":"1"');
    expect((await ask(fake.url, QUESTION)).text).toContain('"content":"2"');
    expect(fake.overruns).toBe(0);
    expect(await ask(fake.url, QUESTION)).toMatchObject({ status: 500 });
    expect(fake.overruns).toBe(1);
    expect(fake.rejections).toEqual(['messages: must not be empty']);
  });

  it('records what it was asked', async () => {
    fake = await startModelFake(aCase([ANSWER]), {});
    await ask(fake.url, QUESTION);
    await fake.waitForRequest(0);
    expect(fake.requests).toMatchObject([{ body: QUESTION, text: JSON.stringify(QUESTION), at: expect.any(Number) }]);
  });

  it('refuses nothing where the case says so', async () => {
    fake = await startModelFake(aCase([ANSWER], { strict_api: false }), {});
    expect(await ask(fake.url, EMPTY)).toMatchObject({ status: 200 });
    expect(fake.rejections).toEqual([]);
  });

  it.each<[string, Json]>([
    ['sse_events', { sse_events: [] }],
    ['delay_before_headers_ms', { ...ANSWER, delay_before_headers_ms: 5 }],
    ['status', { body: COMPLETION }],
  ])('is not started with an answer that it would get wrong: %s', async (word, answer) => {
    await expect(startModelFake(aCase([answer]), {})).rejects.toThrow(word);
  });
});
