import type { Element } from './element.ts';
import { refusal } from './bank-file-error.ts';
import type { Place } from './bank-file-error.ts';
import { maxEntryElements, maxEntryText } from './limits.ts';

/** Builds one element with all that is below it, from the events of the parser, and lets go of it when it closes. */
export function createElementBuilder(place: () => Place) {
  let path: Element[] = [];
  /** Depth inside an element of a foreign namespace (supplementary data), which could only be mistaken for ours. */
  let foreign = 0;
  let elements = 0;
  let characters = 0;

  function push(name: string, currency: string | undefined): void {
    if (++elements > maxEntryElements) throw tooLarge(`One entry has more than ${maxEntryElements} elements`, place());
    const element: Element = { name, text: '', children: [], line: place().line };
    if (currency !== undefined) element.currency = currency;
    const parent = path.at(-1);
    if (parent !== undefined) {
      parent.text = '';
      parent.children.push(element);
    }
    path.push(element);
  }

  return {
    building: (): boolean => path.length > 0,
    begin(name: string): void {
      path = [];
      foreign = 0;
      elements = 0;
      characters = 0;
      push(name, undefined);
    },
    open(name: string, own: boolean, currency: string | undefined): void {
      if (foreign > 0 || !own) foreign += 1;
      else push(name, currency);
    },
    text(text: string): void {
      const element = path.at(-1);
      if (element === undefined || foreign > 0) return;
      characters += text.length;
      if (characters > maxEntryText) throw tooLarge(`One entry has more than ${maxEntryText} characters of text`, place());
      // White space between elements is no text; the standard has no mixed content.
      if (element.children.length === 0) element.text += text;
    },
    /** The element when it is whole. */
    close(): Element | undefined {
      if (foreign > 0) {
        foreign -= 1;
        return undefined;
      }
      const element = path.pop();
      return path.length === 0 ? element : undefined;
    },
  };
}

function tooLarge(what: string, place: Place): Error {
  return refusal('statement_too_large', what, 'Ask the bank to split it, or to send its transactions as entries of their own.', place);
}
