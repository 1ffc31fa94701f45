// Claude in Microsoft Foundry: https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry

import type { Wire } from '../fake-openai-api/wire-fake.ts';
import { messagesWire } from './messages-wire.ts';

/** Foundry, behind the address of a resource. */
export const foundryWire: Wire = {
  ...messagesWire,
  complaintAboutHead({ path, headers }) {
    if (path !== '/anthropic/v1/messages') return 'Resource not found';
    if (headers['anthropic-version'] === undefined) return 'anthropic-version: header is required';
    const hasKey = headers['x-api-key'] !== undefined;
    const hasToken = /^Bearer \S+$/.test(headers.authorization ?? '');
    return hasKey === hasToken ? 'Access denied due to missing or double credentials.' : undefined;
  },
};
