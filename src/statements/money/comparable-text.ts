/** A text for comparison with another report of the same payment: banks write capitals, and drop the marks of letters. */
export function comparableText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase();
}
