import type { AdapterFactories } from '../../../src/adapters/by-name.ts';
import { NO_USAGE } from '../../../src/protocol/run.ts';

export const own: AdapterFactories = {
  parrot: async () => ({
    async *stream({ messages }) {
      const text = `I have heard ${messages.length} messages.`;
      yield { type: 'text_delta', text };
      const message = { role: 'assistant', content: [{ type: 'text', text }] } as const;
      yield {
        type: 'finished',
        message,
        stopReason: 'end_turn',
        rawStopReason: 'stop',
        model: 'grey',
        usage: NO_USAGE,
      };
    },
  }),
};
