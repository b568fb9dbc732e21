/** The number of Unicode code points: an emoji counts once. */
export function countCharacters(value: string): number {
  return Array.from(value).length;
}

/** Whether PostgreSQL can store a text: it must have neither a NUL character nor half of a surrogate pair. */
export function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

/**
 * Control characters (C0, DEL and C1), line breaks among them: no name and no memo has any, and terminals obey them. And the two characters
 * besides them that XML 1.0 cannot hold. Lone surrogates, which it cannot hold either, are not {@link isStorable}.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
export const controlCharacters = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/;
