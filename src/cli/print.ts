import { deceptiveCharacters } from '../platform/deceptive-characters.ts';

const unprintable = new RegExp(deceptiveCharacters, 'gu');

/** A text of somebody else, such as a customer's name, with what a terminal would obey written out, such as `\u001b`. It is one line. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What {@link printable} does with each line of a text. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** Prints lines on stdout, each as {@link printable}. Nothing else in the command line prints what others may have written. */
export function print(text: string): void {
  console.log(printableLines(text));
}

/** Prints lines on stderr, each as {@link printable}. */
export function printError(text: string): void {
  process.stderr.write(`${printableLines(text)}\n`);
}
