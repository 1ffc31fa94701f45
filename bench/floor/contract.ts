import type Anthropic from '@anthropic-ai/sdk';

export type Message = Anthropic.MessageParam;

/** Only what is new travels; `length` is how much of the conversation the worker holds already. */
export interface CallModelInput {
  readonly model: string;
  readonly length: number;
  readonly append: readonly Message[];
}

/** The activities of the floor. */
export interface FloorActivities {
  callModel(input: CallModelInput): Promise<{ role: 'assistant'; content: Anthropic.ContentBlock[] }>;
  callTool(call: Anthropic.ToolUseBlock): Promise<Anthropic.ToolResultBlockParam>;
}
