import { areApart } from './compare-lines.ts';
import type { Money } from './money.ts';
import type { ReportedLine } from '../../ledger/bank/reported-line.ts';

/** Whether two lines are other money, whatever further reports will say. */
type AreOther = (one: ReportedLine, other: ReportedLine) => boolean;

/** Changes of a choice that are tried before money is held: the choice is free only where many reports say little. */
const mostChanges = 200;

/** Money of a customer over one amount for which other choices are tried. */
const mostTried = 30;

/**
 * Holds of each customer what may be other money of the customer. What counts has a line each, all of which are other money: no further report can show that it is less. So
 * every order of files issues as much, and nothing that was issued turns out not to be there.
 */
export function holdRepeats(all: readonly Money[], areOther: AreOther): void {
  for (const [iban, ofCustomer] of Map.groupBy(all, ({ best }) => best.iban)) {
    if (ofCustomer.length < 2) continue;
    const linesOf = new Map(ofCustomer.map((money) => [money, money.lines.filter((line) => line.iban === iban)]));
    for (const [money, of] of fewestHeld(linesOf, areOther)) money.hold = { reason: 'suspected_repeat', why: whyOf(money), of };
  }
}

type LinesOf = ReadonlyMap<Money, readonly ReportedLine[]>;

/** Money for which no line can be chosen, by what it may be. What one document lists is other money: each may be chosen first, and the choice that holds least counts. */
function fewestHeld(linesOf: LinesOf, areOther: AreOther): Map<Money, Money> {
  const first = heldOf([...linesOf], areOther);
  if (first.size === 0 || linesOf.size > mostTried) return first;
  const documents = Map.groupBy([...linesOf.values()].flat(), ({ document }) => document.id);
  const tried = [...documents.keys()].map((id) => {
    const isListed = ([, lines]: [Money, readonly ReportedLine[]]) => lines.some(({ document }) => document.id === id);
    return heldOf([...[...linesOf].filter(isListed), ...[...linesOf].filter((each) => !isListed(each))], areOther);
  });
  return tried.reduce((fewest, held) => (held.size < fewest.size ? held : fewest), first);
}

function heldOf(linesOf: Iterable<[Money, readonly ReportedLine[]]>, areOther: AreOther): Map<Money, Money> {
  const choice = createChoice(areOther);
  const held = new Map<Money, Money>();
  for (const [money, lines] of linesOf) {
    const other = choice.add(money, lines);
    if (other !== undefined) held.set(money, other);
  }
  return held;
}

function whyOf({ isStated }: Money): string {
  const says = 'another message says the same of it, and';
  return isStated ? `${says} the statement does not say whose it is` : `${says} no statement has counted them yet`;
}

/** Chooses a line of each money, so that all of them are other money. */
function createChoice(areOther: AreOther) {
  const linesOf = new Map<Money, readonly ReportedLine[]>();
  const chosen = new Map<Money, ReportedLine>();
  const byPlace = new Map<string, { of: ReportedLine; chosen: Set<Money> }>();
  let changes = 0;

  function conflictsOf(money: Money, line: ReportedLine): Money[] {
    return [...byPlace.values()].flatMap((place) => {
      // Each of very many lines of a document or of another day need not be compared.
      if (areApart(line, place.of)) return [];
      return [...place.chosen].filter((other) => other !== money && !areOther(line, chosen.get(other) as ReportedLine));
    });
  }

  function choose(money: Money, line: ReportedLine | undefined): void {
    const before = chosen.get(money);
    if (before !== undefined) byPlace.get(placeOf(before))?.chosen.delete(money);
    if (line === undefined) return void chosen.delete(money);
    chosen.set(money, line);
    const place = byPlace.get(placeOf(line));
    if (place === undefined) byPlace.set(placeOf(line), { of: line, chosen: new Set([money]) });
    else place.chosen.add(money);
  }

  /** Chooses a line of this money, and other lines of what that may be; returns false, and notes what it changed, where there are none. */
  function makeRoom(money: Money, fixed: ReadonlySet<Money>, changed: Map<Money, ReportedLine | undefined>): boolean {
    const choices: { line: ReportedLine; conflicts: Money[] }[] = [];
    for (const line of linesOf.get(money) ?? []) {
      const conflicts = conflictsOf(money, line);
      choices.push({ line, conflicts });
      if (conflicts.length === 0) break;
    }
    for (const { line, conflicts } of choices.toSorted((one, other) => one.conflicts.length - other.conflicts.length)) {
      if (conflicts.some((other) => fixed.has(other)) || changes >= mostChanges) continue;
      changes += 1;
      const tried = new Map([[money, chosen.get(money)]]);
      choose(money, line);
      const others = new Set([...fixed, money]);
      if (conflicts.every((other) => areOther(line, chosen.get(other) as ReportedLine) || makeRoom(other, others, tried))) {
        for (const [each, before] of tried) if (!changed.has(each)) changed.set(each, before);
        return true;
      }
      for (const [each, before] of tried) choose(each, before);
    }
    return false;
  }

  return {
    /** Adds money, if a line of it can be chosen; else returns other money that it may be. */
    add(money: Money, lines: readonly ReportedLine[]): Money | undefined {
      linesOf.set(money, lines);
      changes = 0;
      return makeRoom(money, new Set(), new Map()) ? undefined : lines.flatMap((line) => conflictsOf(money, line))[0];
    },
  };
}

/** Lines in the same place are apart from the same others by that. */
function placeOf({ document, currency, bookedOn }: ReportedLine): string {
  return `${document.id} ${currency} ${bookedOn}`;
}
