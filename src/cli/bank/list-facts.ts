/** Counts with what they are of, such as `2 orders, 1 unmatched`, without what there is none of. */
export function listFacts(facts: readonly (readonly [count: number, text: string])[]): string {
  const present = facts.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`);
  return present.length === 0 ? 'nothing changed' : present.join(', ');
}
