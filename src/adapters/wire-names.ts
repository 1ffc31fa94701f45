/** The longest name that every service takes. */
const MAX_NAME_CHARS = 64;
const ILLEGAL = /[^a-zA-Z0-9_-]/g;

/**
 * The name of a call as it can be said again. Models make names up that no tool could have (`default_api.look`), and one
 * that a service would not take makes it refuse the whole conversation. A legal name is left alone.
 */
export function wireName(name: string, illegal = ILLEGAL): string {
  return name.replace(illegal, '_').slice(0, MAX_NAME_CHARS);
}
