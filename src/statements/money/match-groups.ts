import { likenessOf, type Relation } from './compare-lines.ts';
import type { ReportedLine } from './reported-line.ts';

/** Lines that are one money, of different documents. */
export interface LineGroup {
  lines: ReportedLine[];
}

/** Two groups that may be one. */
interface Edge {
  left: number;
  right: number;
  isProven: boolean;
  likeness: number;
}

/** Pairs that are looked at one by one. More of one amount are first paired by all that they say. */
export const mostPairs = 40_000;

/**
 * Pairs groups one to one: those that are proven to be the same, then as many as possible of those that may be, the most alike first. Returns the partner in
 * `right` of each group in `left` that has one.
 */
export function matchGroups<Left extends LineGroup, Right extends LineGroup>(
  left: readonly Left[],
  right: readonly Right[],
  relationOf: (one: Left, other: Right) => Relation,
): Map<Left, Right> {
  const partners = new Map<Left, Right>();
  let rest = { left, right };
  for (const factsOf of [allFactsOf, payersFactsOf])
    if (rest.left.length * rest.right.length > mostPairs) rest = matchEqual(rest, { factsOf, relationOf, partners });
  const edges = edgesOf(rest.left, rest.right, relationOf);
  for (const [one, other] of pairUp(edges)) partners.set(rest.left[one] as Left, rest.right[other] as Right);
  return partners;
}

function edgesOf<Left extends LineGroup, Right extends LineGroup>(
  left: readonly Left[],
  right: readonly Right[],
  relationOf: (one: Left, other: Right) => Relation,
): Edge[] {
  return left.flatMap((group, one) =>
    right.flatMap((known, other): Edge[] => {
      const relation = relationOf(group, known);
      if (relation === 'other') return [];
      return [{ left: one, right: other, isProven: relation === 'same', likeness: likenessOfGroups(group, known) }];
    }),
  );
}

/** How much two groups have in common: that of the two lines that have most. */
export function likenessOfGroups(one: LineGroup, other: LineGroup): number {
  return Math.max(...one.lines.flatMap((line) => other.lines.map((known) => likenessOf(line, known))));
}

/** The pairs of a largest set: what is proven, the most alike first, and then others changed where that pairs one more. */
function pairUp(edges: readonly Edge[]): Map<number, number> {
  const sorted = edges.toSorted(
    (one, other) =>
      Number(other.isProven) - Number(one.isProven) || other.likeness - one.likeness || one.left - other.left || one.right - other.right,
  );
  const partners = new Map<number, Edge>();
  const takenBy = new Map<number, Edge>();
  const byLeft = Map.groupBy(sorted, ({ left }) => left);
  function pair(edge: Edge): void {
    partners.set(edge.left, edge);
    takenBy.set(edge.right, edge);
  }
  for (const edge of sorted) if (!partners.has(edge.left) && !takenBy.has(edge.right)) pair(edge);
  /** Finds a partner for a group, and another for whichever has that now. */
  function makeRoom(left: number, seen: Set<number>): boolean {
    for (const edge of byLeft.get(left) ?? []) {
      const before = takenBy.get(edge.right);
      if (seen.has(edge.right) || before?.isProven === true) continue;
      seen.add(edge.right);
      if (before !== undefined && !makeRoom(before.left, seen)) continue;
      pair(edge);
      return true;
    }
    return false;
  }
  for (const left of byLeft.keys()) if (!partners.has(left)) makeRoom(left, new Set());
  return new Map([...partners.values()].map(({ left, right }) => [left, right]));
}

/** Pairs groups that say the same, in their order; returns those that are left. */
function matchEqual<Left extends LineGroup, Right extends LineGroup>(
  { left, right }: { left: readonly Left[]; right: readonly Right[] },
  {
    factsOf,
    relationOf,
    partners,
  }: { factsOf: (group: LineGroup) => string; relationOf: (one: Left, other: Right) => Relation; partners: Map<Left, Right> },
): { left: Left[]; right: Right[] } {
  const byFacts = Map.groupBy(right.toReversed(), factsOf);
  const taken = new Set<Right>();
  const open = left.filter((group) => {
    const alike = byFacts.get(factsOf(group));
    const known = alike?.at(-1);
    if (alike === undefined || known === undefined || relationOf(group, known) === 'other') return true;
    alike.pop();
    taken.add(known);
    partners.set(group, known);
    return false;
  });
  return { left: open, right: right.filter((group) => !taken.has(group)) };
}

function allFactsOf(group: LineGroup): string {
  return JSON.stringify([group.lines[0]?.number, payersFactsOf(group)]);
}

function payersFactsOf({ lines: [line] }: LineGroup): string {
  if (line === undefined) return '';
  const { bookedOn, endToEndId, payerAccount, iban, uetr } = line;
  return JSON.stringify([bookedOn, endToEndId, payerAccount, iban, uetr]);
}
