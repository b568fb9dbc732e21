import { printable } from '../platform/printable.ts';

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
