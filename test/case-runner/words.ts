import { isMap, type Json, type JsonMap } from './case-format.ts';
import * as tables from './word-tables.ts';

/** What the words of a case come to. */
export interface Findings {
  /** Words and values that no table has. */
  readonly unknown: readonly string[];
  /** What the product would need for the case, in words. */
  readonly missing: readonly string[];
}

/** Goes over every word of a case. */
export function inspectWords(file: JsonMap): Findings {
  const inspection = new Inspection();
  inspection.keys('case', tables.TOP, file);
  inspection.values('skip_if', tables.SKIP_IF, file['skip_if']);
  inspectSettings(inspection, file['settings']);
  for (const input of list(file['input'])) {
    inspection.keys('input', tables.INPUT, input);
    inspection.values('input.after', tables.AFTER, field(input, 'after'));
  }
  for (const answers of ['model_responses', 'extra_responses_allowed']) inspectAnswers(inspection, file[answers]);
  for (const tool of list(file['tools'])) inspectTool(inspection, tool);
  for (const event of list(file['events'])) {
    inspection.keys('events', tables.EVENT, event);
    inspection.values('events.on', tables.EVENT_ON, field(event, 'on'));
    inspection.values('events.do', tables.EVENT_DO, field(event, 'do'));
  }
  for (const expect of ['expect', 'alternative_expect']) inspection.keys(expect, tables.EXPECT, file[expect]);
  return { unknown: [...inspection.unknown], missing: [...inspection.missing] };
}

function inspectSettings(inspection: Inspection, settings: Json | undefined): void {
  inspection.keys('settings', tables.SETTINGS, settings);
  inspection.values('settings.server_tools', tables.SERVER_TOOL, field(settings, 'server_tools'));
  inspection.values('settings.thinking', tables.THINKING, field(settings, 'thinking'));
}

function inspectTool(inspection: Inspection, tool: Json): void {
  inspection.keys('tools', tables.TOOL, tool);
  inspection.values('tools.retry', tables.RETRY, field(tool, 'retry'));
  inspection.values('behaviour.do', tables.BEHAVIOUR, field(field(tool, 'behaviour'), 'do'));
}

function inspectAnswers(inspection: Inspection, answers: Json | undefined): void {
  for (const answer of list(answers)) {
    // A whole message is the provider's own JSON, whatever its fields.
    if (field(answer, 'type') === 'message') continue;
    inspection.keys('model_responses', tables.RESPONSE, answer);
    inspectAnswers(inspection, field(answer, 'response'));
    inspectAnswers(inspection, field(answer, 'cycle'));
  }
}

class Inspection {
  readonly unknown = new Set<string>();
  readonly missing = new Set<string>();

  /** Looks up the keys of a map. */
  keys(where: string, table: tables.Words, map: Json | undefined): void {
    for (const [name, value] of Object.entries(isMap(map) ? map : {})) this.#look(where, table, name, value);
  }

  /** Looks up a value, or each of a list. */
  values(where: string, table: tables.Words, value: Json | undefined): void {
    for (const one of list(value)) this.#look(where, table, String(one), one);
  }

  #look(where: string, table: tables.Words, name: string, value: Json): void {
    const rule = Object.hasOwn(table, name) ? table[name] : undefined;
    if (rule === undefined) {
      this.unknown.add(`unknown word in ${where}: ${name}`);
      return;
    }
    const missing = rule(value);
    if (missing !== undefined) this.missing.add(missing);
  }
}

function list(value: Json | undefined): Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function field(value: Json | undefined, name: string): Json | undefined {
  return isMap(value) ? value[name] : undefined;
}
