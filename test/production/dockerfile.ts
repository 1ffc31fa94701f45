// A Dockerfile, as far as the tests look at it.

/** One COPY out of the build context. */
export interface Copy {
  readonly sources: readonly string[];
  readonly target: string;
}

export interface Dockerfile {
  /** Default values of ARG. */
  readonly args: Readonly<Record<string, string>>;
  /** Base of each stage, by the default values. */
  readonly bases: readonly string[];
  /** What the image is made of, in the order of the file. */
  readonly copies: readonly Copy[];
  /** ENV of the last stage. */
  readonly environment: Readonly<Record<string, string>>;
  /** The last USER. */
  readonly user: string | undefined;
  readonly command: readonly string[];
  readonly entrypoint: readonly string[];
  /** Command of the health check. */
  readonly health: readonly string[];
}

/** Reads what our Dockerfile uses of the format: exec forms, `NAME=value` without quotes. */
export function readDockerfile(text: string): Dockerfile {
  const instructions = instructionsOf(text);
  const all = (word: string) => instructions.filter(([first]) => first === word).map(([, rest]) => rest);
  const args = Object.fromEntries(all('ARG').map(assignment));
  return {
    args,
    bases: all('FROM').map((rest) => baseOf(rest, args)),
    copies: all('COPY')
      .filter((rest) => !rest.includes('--from='))
      .map(copyOf),
    environment: Object.fromEntries(all('ENV').flatMap((rest) => rest.split(' ').map(assignment))),
    user: all('USER').at(-1),
    command: execForm(all('CMD').at(-1)),
    entrypoint: execForm(all('ENTRYPOINT').at(-1)),
    health: execForm(
      all('HEALTHCHECK')
        .at(-1)
        ?.replace(/^.* CMD /, ''),
    ),
  };
}

function instructionsOf(text: string): [word: string, rest: string][] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => [line.split(' ')[0] ?? '', line.replace(/^\S+ +/, '')]);
}

function baseOf(rest: string, args: Readonly<Record<string, string>>): string {
  const [base = ''] = rest.split(' ');
  return base.replace(/\$\{(\w+)\}/g, (_use, name) => args[name] ?? '');
}

function assignment(text: string): [name: string, value: string] {
  const [name = '', ...value] = text.split('=');
  return [name, value.join('=')];
}

function copyOf(rest: string): Copy {
  const paths = rest.split(/ +/).filter((word) => !word.startsWith('--'));
  return { sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}

function execForm(text: string | undefined): string[] {
  return text === undefined ? [] : (JSON.parse(text) as string[]);
}
