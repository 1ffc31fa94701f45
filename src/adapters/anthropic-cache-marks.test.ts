import { describe, expect, it } from 'vitest';
import { type WireMessage, withCacheMarks } from './anthropic-cache-marks.ts';

const MARK = { cache_control: { type: 'ephemeral' } };
const text = (value: string) => ({ type: 'text', text: value });
const user = (...content: WireMessage['content']): WireMessage => ({ role: 'user', content });
const assistant = (...content: WireMessage['content']): WireMessage => ({ role: 'assistant', content });

function marks(value: unknown): number {
  return JSON.stringify(value).split('cache_control').length - 1;
}

describe('withCacheMarks', () => {
  it('marks the last tool, the system text and the last two user messages', () => {
    const request = {
      system: [text('s')],
      tools: [{ name: 'a' }, { name: 'b' }],
      messages: [
        user(text('1')),
        assistant(text('2')),
        user(text('3')),
        assistant(text('4')),
        user(text('5'), text('6')),
      ],
    };
    expect(withCacheMarks(request)).toEqual({
      system: [{ ...text('s'), ...MARK }],
      tools: [{ name: 'a' }, { name: 'b', ...MARK }],
      messages: [
        user(text('1')),
        assistant(text('2')),
        user({ ...text('3'), ...MARK }),
        assistant(text('4')),
        user(text('5'), { ...text('6'), ...MARK }),
      ],
    });
  });

  it('never exceeds four with the marks that are there and those taken', () => {
    const request = {
      system: [text('s')],
      tools: [{ name: 'a', ...MARK }, { name: 'b', ...MARK }, { name: 'c' }],
      messages: [user(text('1')), user(text('2'))],
    };
    expect(marks(withCacheMarks(request))).toBe(4);
    expect(marks(withCacheMarks(request, 1))).toBe(3);
    expect(marks(withCacheMarks(request, 2))).toBe(2);
  });

  it('counts marks inside results', () => {
    const result = { type: 'tool_result', content: [{ ...text('1'), ...MARK }] };
    const request = { system: [text('s')], tools: [{ name: 'a' }], messages: [user(result), user(text('2'))] };
    expect(marks(withCacheMarks(request))).toBe(4);
  });

  it('touches no block of the service’s own making and changes nothing in place', () => {
    const opaque = { type: 'thinking_of_tomorrow' };
    const request = { messages: [user(text('1'), opaque)] };
    expect(withCacheMarks(request).messages[0]?.content).toEqual([{ ...text('1'), ...MARK }, opaque]);
    expect(marks(request)).toBe(0);
    expect(marks(withCacheMarks({ messages: [user(opaque)] }))).toBe(0);
  });
});
