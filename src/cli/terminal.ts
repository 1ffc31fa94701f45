import { createSpinner } from './spinner.ts';
import { type Style, styleOf } from './style.ts';

/** Where commands write. The product of a command goes to stdout, everything said about it to stderr. */
export interface Terminal {
  readonly style: Style;
  /** Writes a line of the command's product. An empty text writes nothing. */
  print(text: string): void;
  /** Writes a line about the work. */
  note(text: string): void;
  /** Shows what is waited for, until something is written; only where a person watches. Undefined: nothing. */
  wait(what: string | undefined): void;
}

/** The terminal over a process's two streams. */
export function createTerminal(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Terminal {
  const spinner = createSpinner(stdout, stderr);
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    spinner.clear();
    stream.write(`${text}\n`);
  };
  return {
    style: styleOf(stdout),
    print: (text) => {
      if (text !== '') write(stdout, text);
    },
    note: (text) => write(stderr, text),
    wait: (what) => {
      if (what === undefined) spinner.clear();
      else spinner.show(what);
    },
  };
}

/**
 * Makes a reader that has enough (`| head`) end the process without a word.
 * Any other fault of stdout is thrown.
 */
export function endQuietlyOnBrokenPipe(stdout: NodeJS.WriteStream, exit: (code: number) => void): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    exit(0);
  });
}
