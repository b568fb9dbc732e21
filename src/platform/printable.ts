/**
 * Characters by which a text can seem to be another: control characters (C0, DEL, C1), which a terminal obeys, line and paragraph separators, and
 * the characters that change the direction of what follows (Unicode, UAX 9).
 */
export const deceptiveCharacters = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Also what nobody sees, such as a space without width: two names that look the same are told apart by it. */
const unprintable = new RegExp(`${deceptiveCharacters.source}|\\p{Default_Ignorable_Code_Point}`, 'gu');

/**
 * A text of somebody else, such as a customer's name, with what a terminal or a page would obey or not show written out, such as `\u001b`. It is one line.
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, escaped);
}

/** As JSON escapes it: a character beyond 16 bits is two. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('');
}

/** What is wrong with a name that has {@link deceptiveCharacters}. */
export const deceptiveProblem = 'must not contain control characters, nor ones that change the direction of text';
