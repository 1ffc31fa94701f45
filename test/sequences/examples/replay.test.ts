import { expect, test } from 'vitest';
import { demoAgent } from '../../../src/agents/demo.ts';
import { playRun, readSequence, replayAdapter } from '../../../src/testing/testing.ts';

const weather = { geocodingUrl: 'http://127.0.0.1:1', forecastUrl: 'http://127.0.0.1:1' }; // asked for nothing

test('the recorded conversation still goes the same way', async () => {
  const sequence = readSequence(new URL('time-and-sum.jsonl', import.meta.url));
  const adapter = replayAdapter(sequence, { varyingTools: ['get_time'] });
  const agent = demoAgent({ model: 'demo', weather });
  const { result } = await playRun({
    agent,
    request: { prompt: 'What time is it in Seoul, and what is 19 + 23?' },
    adapter,
  });
  expect(result.text).toContain('19 + 23 = 42');
  expect(adapter.left).toBe(0);
});
