import { areOfOtherDays, likenessOf, type Relation } from './compare-lines.ts';
import { allFactsOf, mostPairs, positionsOf } from './match-groups.ts';
import type { ReportedLine } from '../../ledger/bank/reported-line.ts';

/** How two lines are related. */
type RelationOf = (one: ReportedLine, other: ReportedLine) => Relation;

/** The booking that a line is a part of, by what other lines show; undefined where they show none. */
type BookingOf = (line: ReportedLine) => unknown;

/**
 * Joins the lines that are proven to be the same money, whichever messages they stand in: the most alike first, and none with what anything shows to be other money. The
 * lines are in their order, and so are the groups and what is in them.
 */
export function joinProven(
  lines: readonly ReportedLine[],
  { relationOf, bookingOf }: { relationOf: RelationOf; bookingOf: BookingOf },
): ReportedLine[][] {
  const order = new Map(lines.map((line, index) => [line, index]));
  const place = (line: ReportedLine) => order.get(line) as number;
  const groups = new Map(lines.map((line) => [line, [line]]));
  const pairs = pairsOf(lines, bookingOf)
    .filter(([one, other]) => relationOf(one, other) === 'same')
    .map((pair) => ({ pair, likeness: likenessOf(...pair) }))
    .toSorted(
      ({ pair: [a, b], likeness }, { pair: [c, d], likeness: others }) => others - likeness || place(a) - place(c) || place(b) - place(d),
    );
  // A number of another day proves nothing beside one of the day itself.
  const isApart = (line: ReportedLine, known: ReportedLine) => {
    const relation = relationOf(line, known);
    return relation === 'other' || (relation === 'possible' && areOfOtherDays(line, known));
  };
  for (const { pair } of pairs) {
    const [first, second] = pair.map((line) => groups.get(line)) as [ReportedLine[], ReportedLine[]];
    if (first === second || first.some((line) => second.some((known) => isApart(line, known)))) continue;
    const joined = [...first, ...second].toSorted((one, other) => place(one) - place(other));
    for (const line of joined) groups.set(line, joined);
  }
  return [...new Set(groups.values())];
}

/** The pairs of two messages that share what can prove that they are the same money. Of very many, equal lines in the same place of their messages. */
function pairsOf(lines: readonly ReportedLine[], bookingOf: BookingOf): [ReportedLine, ReportedLine][] {
  const pairs: [ReportedLine, ReportedLine][] = [];
  for (const proof of [numberOf, uetrOf, entryOf, messageOf, bookingOf])
    for (const [key, alike] of Map.groupBy(lines, proof)) {
      if (key === null || key === undefined || alike.every(({ document }) => document === alike[0]?.document)) continue;
      for (const near of alike.length ** 2 > mostPairs ? inSamePlaces(alike) : [alike])
        for (const [index, line] of near.entries())
          for (const other of near.slice(index + 1)) if (line.document !== other.document) pairs.push([line, other]);
    }
  return pairs;
}

const numberOf = ({ number }: ReportedLine): string | null => number;
const uetrOf = ({ uetr }: ReportedLine): string | null => uetr;
const entryOf = ({ entry: { number } }: ReportedLine): string | null => number;
const messageOf = ({ document: { name } }: ReportedLine): string | null => name || null;

const factsOf = (line: ReportedLine) => allFactsOf({ lines: [line] });

/** Equal lines by their place among those of their document. */
function inSamePlaces(lines: readonly ReportedLine[]): Iterable<ReportedLine[]> {
  const positions = positionsOf(lines, factsOf);
  return Map.groupBy(lines, (line) => `${positions.get(line)} ${factsOf(line)}`).values();
}
