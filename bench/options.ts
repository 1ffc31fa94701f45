/** What every bench is told on the command line. */
export interface BenchOptions {
  /** How often each variant is measured, each time in fresh processes; the order is reversed from round to round. */
  readonly rounds: number;
  /** `full`, or sizes so small that only the bench itself is tried out. */
  readonly size: 'full' | 'tiny';
}

/** The figures of a bench: what its last line of output holds as JSON. */
export type Figures = Readonly<Record<string, unknown>>;

/** A bench: prints what it measured, raw values too, and gives its figures. */
export type Bench = (options: BenchOptions) => Promise<Figures>;
