import { expect, test } from 'vitest';
import type { RunEvent, RunEventType } from '../protocol/events.ts';
import { NO_USAGE } from '../protocol/run.ts';
import { printEvent } from './printer.ts';
import { coloured, PLAIN } from './style.ts';

const at = { cursor: '1.5.30', at: '2026-11-29T12:00:00.000Z', run: 'run-1', turn: 1 };
const usage = { ...NO_USAGE, inputTokens: 4_000, outputTokens: 310 };
const lastState = { text: '', lastCalls: [] };
const stopped =
  'Stopped: 10 iterations used (limit 10). Spent 4 310 tokens. Last: get_weather failed: no such city "Xyz"';
const result = { status: 'completed', text: 'Noon.', iterations: 2, usage, costUsdMicros: null, lastState } as const;
const transcript = { length: 4, digest: 'd' };

// A record over all types: a new event type fails to compile here until it has its golden lines.
const golden: { readonly [T in RunEventType]: readonly (readonly [Extract<RunEvent, { type: T }>, string])[] } = {
  run_started: [
    [
      { ...at, type: 'run_started', agent: 'demo', model: 'demo/demo', prompt: 'What time\nis it?' },
      'Run run-1 (demo, demo/demo)\n> What time is it?',
    ],
    [{ ...at, type: 'run_started', agent: 'demo', model: 'demo/demo' }, 'Run run-1 (demo, demo/demo)'],
    [{ ...at, type: 'run_started', agent: 'nobody', model: '' }, 'Run run-1 (nobody)'],
  ],
  turn_started: [[{ ...at, type: 'turn_started' }, '']],
  iteration_started: [[{ ...at, type: 'iteration_started', iteration: 3 }, '#3']],
  model_result: [
    [
      modelResult({ stopReason: 'tool_use', calls: [call('a', {}), call('b', {})] }),
      '  demo/demo, 2 calls, 4 000 in, 310 out',
    ],
    [
      modelResult({ attempts: 3, usage: { ...usage, cacheReadTokens: 1_000 } }),
      '  demo/demo, answered, 5 000 in (1 000 from cache), 310 out, 3 attempts',
    ],
    [
      modelResult({ usage: { ...usage, outputTokens: 4_310, reasoningTokens: 4_000 } }),
      '  demo/demo, answered, 4 000 in, 4 310 out (4 000 reasoning)',
    ],
    [modelResult({ stopReason: 'max_tokens' }), '  demo/demo, stopped: max_tokens, 4 000 in, 310 out'],
  ],
  assistant_text: [
    [{ ...at, type: 'assistant_text', text: 'Let me see.\nOne moment.\n' }, '  Let me see.\n  One moment.'],
  ],
  tool_call: [
    [{ ...at, type: 'tool_call', ...call('get_weather', { city: 'Seoul' }) }, '  → get_weather {"city":"Seoul"}'],
    [
      { ...at, type: 'tool_call', ...call('write', { text: 'x'.repeat(500) }) },
      `  → write {"text":"${'x'.repeat(100)}…`,
    ],
  ],
  tool_result: [
    [toolResult({}), '  ✓ get_time (12 ms): {"time":"12:00"}'],
    [toolResult({ attempts: 3, durationMs: 4_321 }), '  ✓ get_time after 3 attempts (4.3 s): {"time":"12:00"}'],
    [
      toolResult({ outcome: 'failed', isError: true, output: [{ type: 'text', text: 'no such zone\nat all' }] }),
      '  ✗ get_time failed (12 ms): no such zone at all',
    ],
    [
      toolResult({ outcome: 'denied', isError: true, attempts: 0, output: [{ type: 'text', text: 'Not allowed.' }] }),
      '  ✗ get_time denied: Not allowed.',
    ],
    [
      toolResult({ output: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }] }),
      '  ✓ get_time (12 ms): [image image/png]',
    ],
  ],
  user_message: [[{ ...at, type: 'user_message', prompt: 'And in Lima?', requestId: 'r' }, '\n> And in Lima?']],
  model_fallback: [
    [
      { ...at, type: 'model_fallback', from: 'anthropic/claude-a', to: 'openai/gpt-b', reason: 'overloaded' },
      "  ! anthropic/claude-a can't answer (overloaded): asking openai/gpt-b",
    ],
  ],
  agent_changed: [
    [
      { ...at, type: 'agent_changed', model: 'anthropic/claude-b', changed: ['model', 'tools'] },
      'The agent has changed: model, tools',
    ],
  ],
  compacted: [
    [
      {
        ...at,
        type: 'compacted',
        context: 1,
        summarized: 41,
        kept: 6,
        summary: 'It was about Seoul.',
        model: 'claude-a',
        attempts: 1,
        usage,
        costUsdMicros: null,
      },
      '  41 messages summarised by claude-a, 6 kept, 4 000 in, 310 out',
    ],
  ],
  compaction_failed: [
    [
      { ...at, type: 'compaction_failed', reason: 'overloaded', text: 'busy\nnow' },
      '  ! no summary could be had (overloaded): busy now',
    ],
  ],
  limit_reached: [
    [limit('maxIterations', 10, 10), '  ! maxIterations 10 reached, 10 used'],
    [limit('maxTotalTokens', 4_000, 4_310), '  ! maxTotalTokens 4 000 reached, 4 310 used'],
    [limit('maxCostUsdMicros', 50_000, 61_200), '  ! maxCostUsdMicros $0.05 reached, $0.0612 used'],
    [limit('maxDurationMs', 60_000, 61_000), '  ! maxDurationMs 1 min 0 s reached, 1 min 1 s used'],
  ],
  usage: [
    [usageEvent(usage, null), 'Usage: 4 000 tokens in, 310 out'],
    [
      usageEvent({ ...usage, inputTokens: 9_000 }, 12_300),
      'Usage: 4 000 tokens in, 310 out, $0.0123; the whole run: 9 000 tokens in, 310 out, $0.0123',
    ],
    [
      usageEvent({ ...usage, reasoningTokens: 9 }, null),
      'Usage: 4 000 tokens in, 310 out; the whole run: 4 000 tokens in, 310 out (9 reasoning)',
    ],
  ],
  final_text: [
    [{ ...at, type: 'final_text', text: 'It is noon.\n' }, '\nIt is noon.\n'],
    [{ ...at, type: 'final_text', text: stopped }, `\n${stopped}\n`],
  ],
  turn_finished: [
    [
      { ...at, type: 'turn_finished', status: 'completed', iterations: 1, queued: 0 },
      'Turn 1 completed after 1 iteration',
    ],
    [
      { ...at, type: 'turn_finished', status: 'failed', reason: 'rate_limited', iterations: 2, queued: 1 },
      'Turn 1 failed (rate_limited) after 2 iterations; 1 message waiting',
    ],
    [
      { ...at, type: 'turn_finished', status: 'completed', iterations: 2, emptyAnswer: true, queued: 0 },
      'Turn 1 completed after 2 iterations; the model had nothing to say',
    ],
  ],
  run_continued: [[{ ...at, type: 'run_continued', link: 2 }, 'The run goes on in link 2.']],
  run_finished: [
    [{ ...at, type: 'run_finished', result: { ...result, turns: 1, transcript } }, 'Run completed after 1 turn'],
    [
      {
        ...at,
        type: 'run_finished',
        result: { ...result, status: 'limit_reached', reason: 'iteration_limit', turns: 2, transcript },
      },
      'Run limit_reached (iteration_limit) after 2 turns',
    ],
  ],
  history_expired: [
    [
      { ...at, type: 'history_expired', links: [1, 2] },
      "The history of links 1, 2 is past the namespace's retention; what follows comes after it.",
    ],
  ],
};

for (const [type, pairs] of Object.entries(golden)) {
  test(`${type} reads as it always did`, () => {
    for (const [event, lines] of pairs) expect(printEvent(event, PLAIN)).toBe(lines);
  });
}

test('colour changes no word', () => {
  const style = coloured(PLAIN.columns);
  for (const [event, lines] of Object.values(golden).flat()) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are what is taken away here
    expect(printEvent(event, style).replace(/\u001b\[\d+m/g, '')).toBe(lines);
  }
});

test('an error is red, a success green, and only with colour', () => {
  const failed = toolResult({ outcome: 'failed', isError: true });
  expect(printEvent(failed, coloured(80))).toContain('\u001b[31m✗');
  expect(printEvent(toolResult({}), coloured(80))).toContain('\u001b[32m✓');
  expect(printEvent(failed, PLAIN)).not.toContain('\u001b');
});

test('what a model, a tool or a user wrote reaches the terminal without a control character', () => {
  const evil = 'a\u001b[2Jb\u0007c\u009bd';
  const events: RunEvent[] = [
    { ...at, type: 'run_started', run: evil, agent: evil, model: evil, prompt: evil },
    modelResult({ model: evil }),
    { ...at, type: 'assistant_text', text: evil },
    { ...at, type: 'tool_call', callId: evil, name: evil, input: { evil } },
    toolResult({ name: evil, output: [{ type: 'document', mediaType: evil, data: '' }] }),
    toolResult({ name: evil, isError: true, output: [{ type: 'text', text: evil }] }),
    { ...at, type: 'user_message', prompt: [{ type: 'text', text: evil }], requestId: evil },
    { ...at, type: 'final_text', text: evil },
  ];
  for (const event of events) expect(printEvent(event, PLAIN)).not.toMatch(/(?!\n)\p{Cc}/u);
});

function call(name: string, input: Record<string, string>) {
  return { callId: `call-${name}`, name, input };
}

function modelResult(more: Partial<Extract<RunEvent, { type: 'model_result' }>>) {
  const event = {
    ...at,
    type: 'model_result',
    iteration: 1,
    stopReason: 'end_turn',
    rawStopReason: 'end_turn',
  } as const;
  return { ...event, model: 'demo/demo', attempts: 1, usage, costUsdMicros: null, calls: [], ...more };
}

function toolResult(more: Partial<Extract<RunEvent, { type: 'tool_result' }>>) {
  const event = { ...at, type: 'tool_result', callId: 'c', name: 'get_time', outcome: 'completed' } as const;
  const output = [{ type: 'text', text: '{"time":"12:00"}' }] as const;
  return { ...event, isError: false, output, attempts: 1, durationMs: 12, ...more };
}

function limit(name: Extract<RunEvent, { type: 'limit_reached' }>['limit'], value: number, spent: number) {
  return { ...at, type: 'limit_reached', limit: name, value, spent, lastState } as const;
}

function usageEvent(total: typeof usage, cost: number | null) {
  return { ...at, type: 'usage', usage: { turn: usage, total }, costUsdMicros: { turn: cost, total: cost } } as const;
}
