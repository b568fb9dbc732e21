import { malformed, type FilePosition } from './bank-file-error.ts';
import type { Element } from './element.ts';
import { maxEntryCharacters, maxEntryElements } from './limits.ts';

/**
 * Builds one element with all that is below it from the parser's events, and keeps nothing of it once it is closed.
 * Elements of a foreign namespace (supplementary data) are left out, as they could be mistaken for the message's own.
 * Throws `statement_malformed` for an element with more elements or text than the limits allow.
 */
export function createElementBuilder(position: () => FilePosition) {
  let path: Element[] = [];
  /** Depth inside an element of a foreign namespace; 0 outside. */
  let foreignDepth = 0;
  let elements = 0;
  let characters = 0;

  function push(name: string, currency: string | undefined): void {
    if (++elements > maxEntryElements) throw tooLarge(`One entry has more than ${maxEntryElements} elements`, position());
    const element: Element = { name, text: '', children: [], line: position().line };
    if (currency !== undefined) element.currency = currency;
    const parent = path.at(-1);
    if (parent !== undefined) {
      parent.text = '';
      parent.children.push(element);
    }
    path.push(element);
  }

  return {
    isBuilding: (): boolean => path.length > 0,
    /** Starts a new element. */
    begin(name: string): void {
      path = [];
      foreignDepth = 0;
      elements = 0;
      characters = 0;
      push(name, undefined);
    },
    /** An element opens below the one being built. */
    open(name: string, isForeign: boolean, currency: string | undefined): void {
      if (foreignDepth > 0 || isForeign) foreignDepth += 1;
      else push(name, currency);
    },
    text(text: string): void {
      const element = path.at(-1);
      if (element === undefined || foreignDepth > 0) return;
      characters += text.length;
      if (characters > maxEntryCharacters) throw tooLarge(`One entry has more than ${maxEntryCharacters} characters of text`, position());
      // The messages have no mixed content: text beside elements is white space.
      if (element.children.length === 0) element.text += text;
    },
    /** The innermost element closes: returns the whole when it was the outermost, else `undefined`. */
    close(): Element | undefined {
      if (foreignDepth > 0) {
        foreignDepth -= 1;
        return undefined;
      }
      const element = path.pop();
      return path.length === 0 ? element : undefined;
    },
  };
}

function tooLarge(problem: string, position: FilePosition): Error {
  const remedy = 'Ask the bank to split it, or to send its transactions as separate entries.';
  return malformed(problem, remedy, position);
}
