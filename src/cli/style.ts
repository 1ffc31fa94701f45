/** How text is set off. Each function gives the text back, dressed or as it is. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  /** Characters in a line. What may be cut is cut to this. */
  readonly columns: number;
}

/** Columns where no terminal tells: long enough for most inputs, short enough for a log. */
const DEFAULT_COLUMNS = 120;
/** Below this a cut line would say nothing. */
const MIN_COLUMNS = 40;

const asIs = (text: string): string => text;

/** No colour: for pipes, files, dumb terminals and `NO_COLOR`. */
export const PLAIN: Style = {
  bold: asIs,
  dim: asIs,
  red: asIs,
  green: asIs,
  yellow: asIs,
  cyan: asIs,
  columns: DEFAULT_COLUMNS,
};

/** Colour for a terminal of this width. */
export function coloured(columns: number): Style {
  return {
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    red: sgr(31, 39),
    green: sgr(32, 39),
    yellow: sgr(33, 39),
    cyan: sgr(36, 39),
    columns: Math.max(columns, MIN_COLUMNS),
  };
}

/** The style that suits a stream. Node's `hasColors` knows terminals, `NO_COLOR` and `FORCE_COLOR`. */
export function styleOf(stream: NodeJS.WriteStream): Style {
  if (!stream.isTTY) return PLAIN;
  const columns = stream.columns || DEFAULT_COLUMNS;
  return stream.hasColors() ? coloured(columns) : { ...PLAIN, columns: Math.max(columns, MIN_COLUMNS) };
}

function sgr(on: number, off: number): (text: string) => string {
  return (text) => `\u001b[${on}m${text}\u001b[${off}m`;
}
