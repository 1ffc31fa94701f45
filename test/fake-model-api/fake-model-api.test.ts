import { type Anthropic, APIConnectionError, type APIError } from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { startFakeModelApi } from './fake-model-api.ts';
import { answer, assistant, call, result, text, thinking, user } from './samples.ts';
import { ask, askJson, askStream, clientOf, errorOf, params, rich, start } from './sdk-calls.ts';

describe('a message', () => {
  test('comes as JSON and, asked for a stream, as events that make the same message', async () => {
    const fake = await start({ responses: [rich, rich] });
    expect(await askJson(fake)).toMatchObject(rich);
    const streamed = await askStream(fake);
    expect(streamed.content).toEqual(rich.content);
    expect(streamed).toMatchObject({ id: 'msg_1', stop_reason: 'tool_use', usage: rich.usage });
  });

  test('that refuses has its details in a stream too', async () => {
    const stop_details = { type: 'refusal', category: 'example', explanation: 'made up' };
    const fake = await start({ responses: [{ ...answer(), stop_reason: 'refusal', stop_details }] });
    expect(await askStream(fake)).toMatchObject({ content: [], stop_reason: 'refusal', stop_details });
  });

  test('is recorded with its request', async () => {
    const fake = await start({ responses: [rich] });
    await askJson(fake);
    const [request] = fake.requests;
    expect(request).toMatchObject({
      index: 0,
      model: 'claude-fake-1',
      status: 200,
      answeredInFull: true,
      aborted: false,
    });
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.body).toEqual(params(ask));
    expect(fake.bytesProduced).toBe(Buffer.byteLength(JSON.stringify(rich.content)));
  });
});

describe('refusals', () => {
  test('answer 400 with the complaint and take no answer from the list', async () => {
    const fake = await start({ responses: [rich] });
    const error = await errorOf(askJson(fake, [...ask, assistant(call('toolu_1')), ...ask]));
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', requestID: 'req_fake_0' });
    expect(fake.rejections).toEqual([expect.stringContaining('immediately after: toolu_1')]);
    expect(await askJson(fake)).toMatchObject({ id: 'msg_1' });
  });

  test('know the thinking that was sent', async () => {
    const first = answer(thinking('why'), call('toolu_1'));
    const fake = await start({ responses: [first, answer(text('done'))] });
    await askStream(fake);
    const error = await errorOf(askStream(fake, [...ask, assistant(call('toolu_1')), user(result('toolu_1'))]));
    expect(error).toMatchObject({ status: 400 });
    await askStream(fake, [...ask, assistant(...first.content), user(result('toolu_1'))]);
    expect(fake.requests.at(-1)?.answeredInFull).toBe(true);
  });

  test('do not happen where the fake is not strict', async () => {
    const fake = await start({ responses: [rich], strict: false });
    await askJson(fake, [assistant(call('toolu_1'))]);
    expect(fake.rejections).toEqual([]);
  });

  test('include bodies that are no JSON, and bodies over 32 MB', async () => {
    const fake = await start({ responses: [] });
    const post = (body: string) => fetch(`${fake.url}/v1/messages`, { method: 'POST', body });
    expect((await post('{')).status).toBe(400);
    expect((await post('x'.repeat(33 * 1024 * 1024))).status).toBe(413);
    expect(fake.rejections).toHaveLength(2);
  });

  test('of other addresses are 404 and are not recorded', async () => {
    const fake = await start({ responses: [] });
    expect(await errorOf(clientOf(fake).models.list())).toMatchObject({ status: 404, type: 'not_found_error' });
    expect(fake.requests).toEqual([]);
  });
});

describe('answers that are no message', () => {
  test('have the given status, headers and body', async () => {
    const body = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } };
    const headers = { 'retry-after': '2', 'request-id': 'req_own' };
    const fake = await start({ responses: [{ status: 429, headers, body }] });
    const error = await errorOf(askStream(fake));
    expect(error).toMatchObject({ status: 429, type: 'rate_limit_error', requestID: 'req_own' });
    expect((error as APIError).headers?.get('retry-after')).toBe('2');
    expect(fake.requests[0]).toMatchObject({ status: 429, answeredInFull: false });
  });

  test.each([
    ['not json at all', 'not json at all'],
    [[], '[]'],
    [{ type: 'message', content: null }, undefined],
  ])('with status 200 and the body %j come as they are', async (body, sent) => {
    const fake = await start({ responses: [{ status: 200, body }] });
    const response = await fetch(`${fake.url}/v1/messages`, { method: 'POST', body: JSON.stringify(params(ask)) });
    expect(await response.text()).toBe(sent ?? JSON.stringify(body));
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(fake.requests[0]?.answeredInFull).toBe(false);
  });

  test('after the list is used up are failures that are counted', async () => {
    const fake = await start({ responses: [rich] });
    await askJson(fake);
    expect(await errorOf(askJson(fake))).toMatchObject({ status: 500, type: 'api_error' });
    expect([fake.overruns, fake.requests.length]).toEqual([1, 2]);
  });
});

describe('hooks', () => {
  test('are awaited at their points, in order', async () => {
    const seen: string[] = [];
    const at = (name: string) => async () => {
      await new Promise(setImmediate);
      seen.push(name);
    };
    const hooks = { beforeHeaders: at('headers'), afterFirstDelta: at('first'), afterLastDelta: at('last') };
    const fake = await start({ responses: [answer(text('one two three'))], hooks });
    const stream = clientOf(fake).messages.stream(params(ask));
    stream.once('text', () => seen.push('text'));
    await stream.finalMessage();
    expect(seen.filter((name) => name !== 'text')).toEqual(['headers', 'first', 'last']);
    expect(seen.indexOf('text')).toBeGreaterThan(seen.indexOf('headers'));
  });

  test('that hold an answer back keep it from being complete', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const fake = await start({ responses: [rich], hooks: { afterLastDelta: () => held } });
    const asked = askStream(fake);
    await fake.waitForRequest(0);
    expect(fake.requests[0]?.answeredInFull).toBe(false);
    release();
    await asked;
    expect(fake.requests[0]?.answeredInFull).toBe(true);
  });

  test('that throw make close throw', async () => {
    const broken = () => {
      throw new Error('broken hook');
    };
    const fake = await startFakeModelApi({ responses: [rich], hooks: { beforeHeaders: broken } });
    expect(await errorOf(askJson(fake))).toBeInstanceOf(APIConnectionError);
    await expect(fake.close()).rejects.toThrow('faults');
  });
});

describe('what is asked', () => {
  test('may be answered by logic', async () => {
    const fake = await start({ respond: (request, index) => answer(text(`${request.model} ${index}`)) });
    await askJson(fake);
    expect((await askJson(fake)).content).toEqual([text('claude-fake-1 1')]);
  });

  test('can be waited for', async () => {
    const fake = await start({ responses: [rich] });
    const second = fake.waitForRequest(1);
    await askJson(fake);
    expect((await fake.waitForRequest(0)).index).toBe(0);
    await errorOf(askJson(fake));
    expect((await second).index).toBe(1);
    const never = errorOf(fake.waitForRequest(2));
    await fake.close();
    expect(await never).toBeInstanceOf(Error);
  });

  test('again after it was answered in full is counted, again after a failure is not', async () => {
    const fake = await start({ responses: [{ status: 529, body: {} }, rich, rich] });
    await errorOf(askJson(fake));
    await askJson(fake);
    expect(fake.repeatedCompleted).toBe(0);
    await askJson(fake);
    expect(fake.repeatedCompleted).toBe(1);
  });

  test('by the child or for a compaction is answered by the model name', async () => {
    const fake = await start({
      responses: [{ for: 'child', response: answer(text('child')) }, answer(text('parent'))],
      childModel: 'small',
      compaction: { model: 'short', response: answer(text('summary')) },
    });
    const texts = await Promise.all(
      ['claude-fake-1', 'short', 'small', 'short'].map((model) => askJson(fake, ask, model)),
    );
    expect(texts.map(({ content }) => (content[0] as Anthropic.TextBlock).text)).toEqual([
      'parent',
      'summary',
      'child',
      'summary',
    ]);
  });
});
