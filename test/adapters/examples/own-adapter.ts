import { type AdapterFactories, finished } from 'pawl/adapters';

export const own: AdapterFactories = {
  parrot: async () => ({
    async *stream({ model, messages }) {
      const text = `I have heard ${messages.length} messages.`;
      yield { type: 'text_delta', text };
      yield finished({ model, content: text });
    },
  }),
};
