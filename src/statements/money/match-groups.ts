import { likenessOf } from './compare-lines.ts';
import type { ReportedLine } from '../../ledger/bank/reported-line.ts';

/** Lines that are one money, of different documents. */
export interface LineGroup {
  lines: ReportedLine[];
}

/** Whether two groups are other money. */
export type AreOther = (one: LineGroup, other: LineGroup) => boolean;

/** Two groups that may be one. */
interface Edge {
  left: number;
  right: number;
  likeness: number;
}

/** Pairs that are looked at one by one. More of one amount are first paired by all that they say. */
export const mostPairs = 40_000;

/** Pairs groups one to one, as many as possible, the most alike first. Returns the partner in `right` of each group in `left` that has one. */
export function matchGroups(left: readonly LineGroup[], right: readonly LineGroup[], areOther: AreOther): Map<LineGroup, LineGroup> {
  const partners = new Map<LineGroup, LineGroup>();
  let rest = { left, right };
  for (const factsOf of [allFactsOf, payersFactsOf])
    if (rest.left.length * rest.right.length > mostPairs) rest = matchEqual(rest, { factsOf, areOther, partners });
  const edges = edgesOf(rest.left, rest.right, areOther);
  for (const [one, other] of pairUp(edges)) partners.set(rest.left[one] as LineGroup, rest.right[other] as LineGroup);
  return partners;
}

function edgesOf(left: readonly LineGroup[], right: readonly LineGroup[], areOther: AreOther): Edge[] {
  return left.flatMap((group, one) =>
    right.flatMap((known, other) =>
      areOther(group, known) ? [] : [{ left: one, right: other, likeness: likenessOfGroups(group, known) }],
    ),
  );
}

/** How much two groups have in common: that of the two lines that have most. */
export function likenessOfGroups(one: LineGroup, other: LineGroup): number {
  return Math.max(...one.lines.flatMap((line) => other.lines.map((known) => likenessOf(line, known))));
}

/** The pairs of a largest set: the most alike first, and then others changed where that pairs one more. */
function pairUp(edges: readonly Edge[]): Map<number, number> {
  const sorted = edges.toSorted((one, other) => other.likeness - one.likeness || one.left - other.left || one.right - other.right);
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
      if (seen.has(edge.right)) continue;
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
function matchEqual(
  { left, right }: { left: readonly LineGroup[]; right: readonly LineGroup[] },
  rules: { factsOf: (group: LineGroup) => string; areOther: AreOther; partners: Map<LineGroup, LineGroup> },
): { left: LineGroup[]; right: LineGroup[] } {
  const { factsOf, areOther, partners } = rules;
  const byFacts = Map.groupBy(right.toReversed(), factsOf);
  const taken = new Set<LineGroup>();
  const open = left.filter((group) => {
    const alike = byFacts.get(factsOf(group));
    const known = alike?.at(-1);
    if (alike === undefined || known === undefined || areOther(group, known)) return true;
    alike.pop();
    taken.add(known);
    partners.set(group, known);
    return false;
  });
  return { left: open, right: right.filter((group) => !taken.has(group)) };
}

/** All by which groups over one amount can be told apart. */
export function allFactsOf(group: LineGroup): string {
  return JSON.stringify([group.lines[0]?.number, payersFactsOf(group)]);
}

function payersFactsOf({ lines: [line] }: LineGroup): string {
  if (line === undefined) return '';
  const { bookedOn, endToEndId, payerAccount, iban, uetr } = line;
  return JSON.stringify([bookedOn, endToEndId, payerAccount, iban, uetr]);
}

/** The place of each line among those of its document that are equal by a key. */
export function positionsOf(lines: readonly ReportedLine[], keyOf: (line: ReportedLine) => string): Map<ReportedLine, number> {
  const equal = Map.groupBy(lines, (line) => `${line.document.id} ${keyOf(line)}`);
  return new Map([...equal.values()].flatMap((alike) => alike.map((line, index) => [line, index] as const)));
}
