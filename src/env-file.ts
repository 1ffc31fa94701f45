/** One problem of the configuration. `seen` never holds a key. */
export interface ConfigProblem {
  readonly variable: string;
  readonly seen: string;
  readonly allowed: string;
}

const IGNORED = /^\s*(#.*)?$/;
const ASSIGNMENT = /^\s*(?:export\s+)?[\w.-]+(?:\s*=|:\s)\s*(.*)$/;

/**
 * The lines of a .env file that assign nothing. The parser drops them without a word, and a setting with them.
 * Their text is left out: it may be a key.
 */
export function envFileProblems(text: string): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (IGNORED.test(line)) continue;
    const value = ASSIGNMENT.exec(line)?.[1];
    if (value === undefined) {
      problems.push({ variable: `.env line ${at + 1}`, seen: 'no assignment', allowed: 'NAME=value, or # comment' });
      continue;
    }
    at = lastLine(lines, at, value);
  }
  return problems;
}

/** A quoted value may go on over lines; one whose quote is never closed ends on its own line. */
function lastLine(lines: readonly string[], at: number, value: string): number {
  const quote = /^['"`]/.exec(value)?.[0];
  if (quote === undefined || value.indexOf(quote, 1) > 0) return at;
  const end = lines.findIndex((line, index) => index > at && line.includes(quote));
  return end < 0 ? at : end;
}
