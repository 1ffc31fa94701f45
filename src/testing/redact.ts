// Takes secrets out of what is written to a file that people keep in a repository.

import type { ModelEvent } from '../adapters/model-adapter.ts';
import type { RecordedCall } from './sequence.ts';

/** Stands where a secret stood. */
export const REMOVED = '[secret removed]';

/** Shorter values are words that stand in any text, and no keys. */
const MIN_SECRET_CHARS = 8;

/** Names whose values are secrets: of variables of the environment, and of fields. */
const SECRET_NAMES: readonly RegExp[] = [
  /_KEY(_ID)?$/,
  /PASSW(OR)?D$|_PWD$/,
  /^AWS_BEARER_TOKEN_/,
  /(api|access|private|secret|auth|refresh|session)[_-]?(key|token)$/i,
  /(^|[_-])(token|secret|passw(or)?d|passphrase|credentials?|authorization|cookie)$/i,
  /[a-z](Secret|Password)$/,
];

/** What looks like a secret wherever it stands. */
const SECRET_FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g, // Anthropic, OpenAI, OpenRouter, Stripe
  /\bAIza[A-Za-z0-9_-]{30,}/g, // Google
  /\bya29\.[\w.-]{20,}/g, // Google's access tokens
  /\b(AKIA|ASIA)[A-Z0-9]{16}\b/g, // AWS
  /\b(ABSK|bedrock-api-key-)[\w+/-]{20,}=*/g, // Bedrock
  /\b(gh[pousr]_|github_pat_|glpat-|npm_|hf_|xox[abeprs]-)[A-Za-z0-9_-]{20,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g, // JWT
  /(?<=\b(?:Bearer|Basic)\s)(?=\S*\d)[A-Za-z0-9._~+/-]{12,}=*/gi,
  /(?<=:\/\/)[^\s/:@]+:[^\s/@]+(?=@)/g, // user and password of a URL
  /(?<=["'](?:(?:x-)?api[_-]?key|access[_-]?token|auth[_-]?token|secret|password)["']\s*:\s*["'])[^"']+/gi,
  /(?<=[?&]key=)[^\s"'&]{8,}/gi,
  /(?<=\b[A-Z][A-Z0-9_]*(?:_KEY|_TOKEN|_SECRET|PASSWORD)=)[^\s"'&]{8,}/g, // as an environment is printed
  /(?<=\b(?:api[_-]?key|access[_-]?token|auth[_-]?token|secret|password)\s*[=:]\s*)[^\s"'&,;[\]]{8,}/gi,
];

/** The values under names such as `ANTHROPIC_API_KEY` or `password`, at any depth: `secretsIn(process.env)`. */
export function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (typeof inner !== 'string') return secretsIn(inner);
    return isSecretName(name) && inner.length >= MIN_SECRET_CHARS ? [inner] : [];
  });
}

/** A recorded call without these secrets, and without what looks like one. */
export function withoutSecrets(call: RecordedCall, secrets: readonly string[]): RecordedCall {
  // The longest first: one secret may be the beginning of another.
  const known = [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
  const clean = (text: string): string => cleanText(text, known);
  const events = withWholeTexts(call.events, clean);
  return cleanValue({ ...call, events }, clean);
}

function isSecretName(name: string): boolean {
  return SECRET_NAMES.some((form) => form.test(name));
}

function cleanText(text: string, secrets: readonly string[]): string {
  const withoutKnown = secrets.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text);
  return SECRET_FORMS.reduce((rest, form) => rest.replace(form, REMOVED), withoutKnown);
}

/** Keys are cleaned too: a map may be keyed by what should not be read. */
function cleanValue<T>(value: T, clean: (text: string) => string): T;
function cleanValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((item: unknown) => cleanValue(item, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => {
      const isSecret = typeof inner === 'string' && inner !== '' && isSecretName(name);
      return [clean(name), isSecret ? REMOVED : cleanValue(inner, clean)];
    }),
  );
}

/** A secret may be cut in two by the border of two pieces. Where the whole text holds one, it becomes a single piece. */
function withWholeTexts(events: readonly ModelEvent[], clean: (text: string) => string): readonly ModelEvent[] {
  return (['text_delta', 'reasoning_delta'] as const).reduce<readonly ModelEvent[]>((all, type) => {
    const whole = all.map((event) => (event.type === type ? event.text : '')).join('');
    if (clean(whole) === whole) return all;
    const first = all.findIndex((event) => event.type === type);
    const others = all.filter((event, index) => event.type !== type || index === first);
    return others.map((event) => (event.type === type ? { type, text: clean(whole) } : event));
  }, events);
}
