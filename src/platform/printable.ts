import { deceptiveCharacters } from './deceptive-characters.ts';

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
