import { describe, expect, it } from 'vitest';
import { envFileProblems } from './env-file.ts';

describe('envFileProblems', () => {
  it.each([
    ['an assignment', 'A=1'],
    ['an exported one', 'export A=1'],
    ['one with a colon', 'A: 1'],
    ['blank lines and comments', '\n# A\n   \n'],
    ['a quoted value over lines', 'A="first\nsecond"\nB=2'],
    ['Windows line ends', 'A=1\r\nB=2\r\n'],
  ])('is content with %s', (_, text) => {
    expect(envFileProblems(text)).toEqual([]);
  });

  it('names each line that assigns nothing, without its text', () => {
    const problems = envFileProblems('A=1\nsk-ant-key\nB="x\ny"\nhello world\n');
    expect(problems.map((problem) => problem.variable)).toEqual(['.env line 2', '.env line 5']);
    expect(JSON.stringify(problems)).not.toContain('sk-ant');
  });

  it('goes on after a quote that is never closed', () => {
    expect(envFileProblems('A="x\nlost line').map((problem) => problem.variable)).toEqual(['.env line 2']);
  });
});
