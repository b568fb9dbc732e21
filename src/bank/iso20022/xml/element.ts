/** An XML element with all that is below it, reduced to what readers of ISO 20022 messages need. */
export interface Element {
  /** Local name, without prefix. */
  name: string;
  /** Character data of an element without children; empty for one with children. */
  text: string;
  /** The attribute `Ccy` of an amount: the only attribute that readers need. */
  currency?: string;
  children: Element[];
  /** Line of the file at which the element begins, counted from 1. */
  line: number;
}

/** All elements at a path of names below an element, through every branch. */
export function elementsAt(element: Element | undefined, ...path: string[]): Element[] {
  let elements = element === undefined ? [] : [element];
  for (const name of path) elements = elements.flatMap((parent) => parent.children.filter((child) => child.name === name));
  return elements;
}

/** The element at a path, through the first branch only; `undefined` when there is none. */
export function elementAt(element: Element | undefined, ...path: string[]): Element | undefined {
  let current = element;
  for (const name of path) current = current?.children.find((child) => child.name === name);
  return current;
}

/** The text of `elementAt`, white space collapsed as in the schemas' token types; `undefined` when there is none. */
export function textAt(element: Element | undefined, ...path: string[]): string | undefined {
  return collapseWhiteSpace(elementAt(element, ...path)?.text);
}

/** The code at a path, of the standard's list or the bank's own. */
export function codeAt(element: Element | undefined, ...path: string[]): string | undefined {
  return textAt(element, ...path, 'Cd') ?? textAt(element, ...path, 'Prtry');
}

/** The texts of `elementsAt`, white space collapsed, without empty ones. */
export function textsAt(element: Element | undefined, ...path: string[]): string[] {
  return elementsAt(element, ...path).flatMap(({ text }) => collapseWhiteSpace(text) ?? []);
}

/** A text as one line without surrounding or repeated white space; `undefined` when nothing is left. */
export function collapseWhiteSpace(text: string | undefined): string | undefined {
  const line = text?.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : line;
}

/** Whether the text at a path is the `xs:boolean` true. */
export function isTrueAt(element: Element | undefined, ...path: string[]): boolean {
  return ['true', '1'].includes(textAt(element, ...path) ?? '');
}
