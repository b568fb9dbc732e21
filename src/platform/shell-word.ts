/** A text as one word of a POSIX shell: in single quotes where it has more than plain characters. */
export function shellWord(text: string): string {
  return /^[\w:/.=@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
