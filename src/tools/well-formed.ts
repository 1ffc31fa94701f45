/** A text with U+FFFD in place of each lone surrogate, which providers refuse. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
