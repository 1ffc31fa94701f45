import { PLAIN } from '../../src/cli/style.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

/** A terminal that keeps what is written to it. */
export function fakeTerminal() {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const terminal: Terminal = {
    style: PLAIN,
    print: (text) => {
      if (text !== '') stdout.push(text);
    },
    note: (text) => {
      stderr.push(text);
    },
    wait: () => {},
  };
  return { terminal, stdout, stderr };
}
