import type { Comparison } from './queries.ts';

/** What the book is compared with. */
export const comparisonNames: Record<Comparison['comparison'], string> = {
  states: 'States of orders',
  index: 'Tokens as indexed',
  nodes: 'Tokens as the nodes say',
  bank: "The bank's statements",
};
