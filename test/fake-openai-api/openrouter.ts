// Chat Completions as OpenRouter keeps it: with tools that the service itself runs.
// https://openrouter.ai/docs/guides/features/server-tools

import { chatWire } from './chat.ts';
import { firstComplaint, isObject, type Json, objectsIn, type Wire } from './wire-fake.ts';

const SERVER_TOOL = /^openrouter:[a-z_]+$/;

/** The wire of Chat Completions, and server tools among the tools of a request. */
export const openRouterWire: Wire = {
  ...chatWire,
  complaintAbout(body, sent, path) {
    const all = objectsIn(body['tools']);
    const serverTools = all.filter(({ type }) => SERVER_TOOL.test(String(type)));
    const others = all.filter((tool) => !serverTools.includes(tool));
    const { tools, ...rest } = body;
    const withoutThem = tools === undefined || others.length === 0 ? rest : { ...rest, tools: others };
    return firstComplaint(serverTools, serverToolComplaint) ?? chatWire.complaintAbout(withoutThem, sent, path);
  },
};

function serverToolComplaint({ type, parameters = {}, ...more }: Json): string | undefined {
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) return `${unknown} is no field of ${String(type)}`;
  return isObject(parameters) ? undefined : `the parameters of ${String(type)} are no object`;
}
