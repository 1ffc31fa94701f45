import { expect, test } from 'vitest';
import { chatHints, formatHints, nextHints, quoted } from './hints.ts';
import { PLAIN } from './style.ts';

test('three things to type next, as they are typed in the repository', () => {
  expect(formatHints(nextHints('npm run -s pawl --', 'run-1'), PLAIN)).toBe(
    [
      '  npm run -s pawl -- show run-1                             read this run again',
      '  npm run -s pawl -- run --chat "What time is it in Lima?"  start a conversation',
      '  npm run demo:kill                                         kill a worker in the middle of a run, and see the run go on',
    ].join('\n'),
  );
});

test('an installed pawl is called by its name, and has no scripts of the repository', () => {
  const lines = nextHints('pawl', 'run-1').map(({ line }) => line);
  expect(lines).toHaveLength(3);
  expect(lines.every((line) => line.startsWith('pawl '))).toBe(true);
});

test('an id that a shell would take apart is quoted', () => {
  expect(quoted('run-1/a.b:c')).toBe('run-1/a.b:c');
  expect(quoted("it's $(me)")).toBe("'it'\\''s $(me)'");
  expect(chatHints('pawl', 'a b')[0]?.line).toBe('pawl send \'a b\' "…"');
});
