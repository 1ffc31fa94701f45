import type { Verdict } from '../protocol/activities.ts';
import type { CallBlock, JsonObject, ResultContent } from '../protocol/messages.ts';
import type { ToolSnapshot, ToolSpec } from '../protocol/snapshot.ts';
import { DefinitionError, printed } from './definition-error.ts';
import { errorText } from './error-text.ts';
import { shapeOutput } from './shape-output.ts';
import { type Tool, type ToolCall, ToolError } from './tool.ts';
import { invalidInputText, malformedText, unknownToolText } from './verdict-text.ts';
import { toWireNames } from './wire-name.ts';

/** How one attempt of a call ended. */
export interface Execution {
  readonly outcome: 'completed' | 'failed';
  /** Never empty. */
  readonly content: readonly ResultContent[];
  /** Whether another attempt may end otherwise: true when the handler threw anything but a {@link ToolError}. */
  readonly retryable: boolean;
  /** What was thrown. */
  readonly error?: unknown;
}

/** The tools of a worker, found by their wire names. */
export interface ToolRegistry {
  /** Sorted by wire name: the same tools always give the same bytes. */
  specs(): readonly ToolSpec[];
  get(wireName: string): Tool | undefined;
  /** Throws for a tool that is not of this registry. */
  wireName(tool: Tool): string;
  /** Sorted by wire name. `names` are names in code or wire names; all tools where absent. Throws {@link DefinitionError} for an unknown one. */
  snapshots(names?: readonly string[]): readonly ToolSnapshot[];
  /** What becomes of a call before its handler runs. `offered`: the wire names that this model may use; all where absent. */
  verdict(name: string, call: Pick<CallBlock, 'input' | 'malformed'>, offered?: readonly string[]): Promise<Verdict>;
  /** Runs a handler once. Never throws: whatever happens becomes content for the model. */
  execute(wireName: string, input: JsonObject, call: ToolCall, maxResultBytes: number): Promise<Execution>;
}

/** A tool under its wire name. */
type Entry = readonly [wireName: string, tool: Tool];

/** Throws {@link DefinitionError} when two tools have one name. The same tool twice counts once. */
export function createRegistry(tools: readonly Tool[]): ToolRegistry {
  const entries = entriesOf(tools);
  const byWireName = new Map(entries);
  const wireNames = new Map(entries.map(([name, tool]) => [tool, name]));
  const specs = entries.map(([name, tool]) => ({ ...tool.spec(), name }));

  return {
    specs: () => specs,
    get: (name) => byWireName.get(name),
    wireName: (tool) => {
      const name = wireNames.get(tool);
      if (name === undefined) throw new Error(`not a tool of this registry: ${tool.name}`);
      return name;
    },
    snapshots: (names) => (names === undefined ? entries : named(entries, names)).map((entry) => snapshotOf(...entry)),
    verdict: (name, call, offered = [...byWireName.keys()]) => {
      const tool = offered.includes(name) ? byWireName.get(name) : undefined;
      return verdictOf(tool, name, call, offered);
    },
    execute: (name, input, call, maxResultBytes) => {
      const tool = byWireName.get(name);
      if (tool === undefined)
        return Promise.resolve(refused(unknownToolText(name, [...byWireName.keys()]), maxResultBytes));
      return execute(tool, name, input, call, maxResultBytes);
    },
  };
}

/** Sorted by wire name, so that what is made of them has the same bytes each time. */
function entriesOf(tools: readonly Tool[]): Entry[] {
  const distinct = [...new Set(tools)];
  refuseDuplicates(distinct);
  const wireNames = toWireNames(distinct.map(({ name }) => name));
  return distinct
    .map((tool): Entry => [wireNames.get(tool.name) ?? tool.name, tool])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The tools of these names, which may be their own or those on the wire. */
function named(entries: readonly Entry[], names: readonly string[]): readonly Entry[] {
  const isNamed = ([wireName, tool]: Entry, name: string) => name === wireName || name === tool.name;
  const unknown = names.filter((name) => !entries.some((entry) => isNamed(entry, name)));
  if (unknown.length > 0)
    throw new DefinitionError(
      'list of tools',
      unknown.map((name) => `no tool is named ${printed(name)}`),
    );
  return entries.filter((entry) => names.some((name) => isNamed(entry, name)));
}

function refuseDuplicates(tools: readonly Tool[]): void {
  const seen = new Map<string, Tool>();
  const problems: string[] = [];
  for (const tool of tools) {
    const other = seen.get(tool.name);
    if (other === undefined) seen.set(tool.name, tool);
    else
      problems.push(
        `two tools are named ${printed(tool.name)}: ${printed(other.description)} and ${printed(tool.description)}`,
      );
  }
  if (problems.length > 0) throw new DefinitionError('list of tools', problems);
}

function snapshotOf(wireName: string, tool: Tool): ToolSnapshot {
  const { effect, timeoutMs, maxAttempts, maxResultBytes, quick } = tool;
  const policy = { effect, timeoutMs, maxAttempts, maxResultBytes, quick };
  return { ...tool.spec(), name: wireName, ...(wireName === tool.name ? {} : { toolName: tool.name }), ...policy };
}

async function verdictOf(
  tool: Tool | undefined,
  name: string,
  call: Pick<CallBlock, 'input' | 'malformed'>,
  offered: readonly string[],
): Promise<Verdict> {
  if (tool === undefined) return { status: 'unknown_tool', text: unknownToolText(name, offered) };
  if (call.malformed !== undefined)
    return { status: 'invalid_input', path: '', text: malformedText(name, call.malformed) };
  const checked = await tool.validate(call.input);
  if (checked.status === 'valid') return { status: 'ok' };
  return { status: 'invalid_input', path: checked.path, text: invalidInputText(name, checked.message) };
}

async function execute(
  tool: Tool,
  wireName: string,
  input: JsonObject,
  call: ToolCall,
  maxResultBytes: number,
): Promise<Execution> {
  try {
    const checked = await tool.validate(input);
    if (checked.status === 'invalid') return refused(invalidInputText(wireName, checked.message), maxResultBytes);
    const output = await tool.run(checked.value, call);
    return { outcome: 'completed', content: shapeOutput(output, maxResultBytes), retryable: false };
  } catch (error) {
    return { ...refused(errorText(error, wireName), maxResultBytes), retryable: !(error instanceof ToolError), error };
  }
}

function refused(text: string, maxResultBytes: number): Execution {
  return { outcome: 'failed', content: shapeOutput(text, maxResultBytes), retryable: false };
}
