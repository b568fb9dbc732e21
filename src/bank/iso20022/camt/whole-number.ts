import { malformed } from '../xml/bank-file-error.ts';
import { type Element, elementAt, textAt } from '../xml/element.ts';

/** What an `integer` of the database holds: far more than a file has of anything. */
const largest = 2_147_483_647;

/** The count or page number at a path; `undefined` when there is none. Throws `statement_malformed` for anything but a whole number of that size. */
export function wholeNumberAt(element: Element | undefined, ...path: string[]): number | undefined {
  const text = textAt(element, ...path);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw notCounted(elementAt(element, ...path), text);
  return withinLargest(Number(text), elementAt(element, ...path));
}

/** A number that was read or summed. Throws `statement_malformed` where it is too large, naming the element. */
export function withinLargest(number: number, element: Element | undefined): number {
  if (number > largest) throw notCounted(element, `${number}`);
  return number;
}

function notCounted(element: Element | undefined, text: string) {
  const problem = `<${element?.name}> is ${text.slice(0, 40)}, and not a whole number of at most ${largest}`;
  return malformed(problem, 'Ask the bank for a file that follows the schema.', element);
}
