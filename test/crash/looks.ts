import type { Message } from '../../src/protocol/messages.ts';
import type { Outcome } from '../../src/protocol/run.ts';
import type { ToolName } from './agents.ts';
import type { Seen } from './scene.ts';

/** The attempts in which a tool's handler started; throws where they had not all the same idempotency key. */
export function attemptsOf(seen: Seen, tool: ToolName): readonly number[] {
  const starts = seen.starts.filter((start) => start.tool === tool);
  const keys = new Set(starts.map(({ idempotencyKey }) => idempotencyKey));
  if (keys.size > 1) throw new Error(`${tool} was given more than one key: ${[...keys].join(', ')}`);
  return starts.map(({ attempt }) => attempt);
}

/** How a tool's one call ended. */
export function outcomeOf(seen: Seen, tool: ToolName): Outcome | undefined {
  return resultEvent(seen, tool)?.outcome;
}

/** What the model was told of a tool's one call. */
export function textOfResult(seen: Seen, tool: ToolName): string {
  const output = resultEvent(seen, tool)?.output ?? [];
  return output.map((content) => (content.type === 'text' ? content.text : content.type)).join('');
}

/** A transcript in which a tool's result is nothing but its call's id. */
export function withoutResult(transcript: readonly Message[], tool: ToolName): readonly unknown[] {
  const callId = `toolu_asked_${tool}`;
  return transcript.map(({ role, content }) => ({
    role,
    content: content.map((block) => (block.type === 'result' && block.callId === callId ? { callId } : block)),
  }));
}

function resultEvent({ events }: Seen, tool: ToolName) {
  return events.filter((event) => event.type === 'tool_result').find(({ name }) => name === tool);
}
