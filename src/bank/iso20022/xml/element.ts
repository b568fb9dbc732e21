/** An XML element of an entry, as small as the mapping needs it. */
export interface Element {
  /** Local name, without prefix. */
  name: string;
  /** Character data of an element without children; empty otherwise. */
  text: string;
  /** The only attribute the messages have on what we read: `Ccy` of an amount. */
  currency?: string;
  children: Element[];
  line: number;
}

/** All elements at a path below an element, through every branch. */
export function elementsAt(element: Element | undefined, ...path: string[]): Element[] {
  let found = element === undefined ? [] : [element];
  for (const name of path) found = found.flatMap((parent) => parent.children.filter((child) => child.name === name));
  return found;
}

/** The first element at a path. */
export function elementAt(element: Element | undefined, ...path: string[]): Element | undefined {
  let found = element;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found;
}

/** The text at a path with white space collapsed, as the schemas' token types have it; `undefined` when there is none. */
export function textAt(element: Element | undefined, ...path: string[]): string | undefined {
  return collapsed(elementAt(element, ...path)?.text);
}

/** All non-empty texts at a path. */
export function textsAt(element: Element | undefined, ...path: string[]): string[] {
  return elementsAt(element, ...path).flatMap((found) => collapsed(found.text) ?? []);
}

/** One line of text without surrounding or repeated white space; `undefined` when nothing is left. */
export function collapsed(text: string | undefined): string | undefined {
  const line = text?.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : line;
}
