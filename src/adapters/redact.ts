/** A shorter one is no secret, and would blot out parts of ordinary words. */
const MIN_KEY_CHARS = 8;

/** What looks like a secret wherever it stands: what a client found by itself is not known to us. */
const SECRET_FORMS: readonly RegExp[] = [
  /\b(sk|pk)-[A-Za-z0-9_-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{8,}/g,
  /\bya29\.[\w.-]{8,}/g, // Google's access tokens
  /\b(AKIA|ASIA)[A-Z0-9]{16}\b/g, // AWS's access keys
  /\b(ABSK|bedrock-api-key-)[\w+/=-]{8,}/g, // Bedrock's API keys
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g, // JWT: Entra's tokens, and what Google's and AWS's are made of
  /(?<=\bBearer\s+)\S+/gi,
  /(?<=x-amz-security-token[:=]\s*)[^\s&'"]+/gi,
  /(?<=:\/\/)[^\s/@]+(?=@)/g, // user and password of an address
  /(?<=[?&](api[_-]?)?key=)[^\s&'"]+/gi,
];

/** The text without these secrets, and without anything else that looks like one. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length >= MIN_KEY_CHARS);
  const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text);
  return SECRET_FORMS.reduce((rest, form) => rest.replace(form, '[key]'), withoutKnown);
}
