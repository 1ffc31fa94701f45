import { createHttpGet } from '../../src/tools/http-get.ts';
import type { Tool } from '../../src/tools/tool.ts';

/** Makes a tool of the product's own, under the name that it has in the case. */
type MakeBuiltin = (name: string, allowPrivate: readonly string[]) => Tool;

/** The product's own tools by the role that a case names. */
export const BUILTINS: Readonly<Record<string, MakeBuiltin>> = {
  http_fetch: (name, allowPrivate) => createHttpGet({ name, allowPrivate }),
};
