/** The number of Unicode code points: an emoji counts once. */
export function countCharacters(value: string): number {
  return Array.from(value).length;
}

/** Whether PostgreSQL can store a text: it must have neither a NUL character nor half of a surrogate pair. */
export function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

/** Characters that XML 1.0 cannot hold; lone surrogates, which it cannot hold either, are not {@link isStorable}. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
export const notInXml = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/;
