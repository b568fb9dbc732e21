import { malformed } from '../xml/bank-file-error.ts';
import { type Element, elementAt, textAt } from '../xml/element.ts';

/** What an `integer` of the database holds: far more than a file has of anything. */
const largest = 2_147_483_647;

/** The count or page number at a path; `undefined` when there is none. Throws `statement_malformed` for anything else. */
export function wholeNumberAt(element: Element | undefined, ...path: string[]): number | undefined {
  const text = textAt(element, ...path);
  if (text === undefined) return undefined;
  return withinLargest(/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN, elementAt(element, ...path), text);
}

/** A number that was read or summed. Throws `statement_malformed` where it is none or too large, naming the element and what it holds. */
export function withinLargest(number: number, element: Element | undefined, text = `${number}`): number {
  if (number <= largest) return number;
  const problem = `<${element?.name}> is ${text.slice(0, 40)}, and not a whole number of at most ${largest}`;
  throw malformed(problem, 'Ask the bank for a file that follows the schema.', element);
}
