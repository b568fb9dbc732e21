import { compareTexts, differ, isSame, type Relation, relationOf } from './compare-lines.ts';
import { holdRepeats } from './hold-repeats.ts';
import { joinProven } from './join-proven.ts';
import { type AreOther, likenessOfGroups, type LineGroup, matchGroups } from './match-groups.ts';
import { minorUnits } from '../../platform/money.ts';
import { type IsRead, type Money, moneyOf } from './money.ts';
import { type ReportedLine, statementKind } from '../../ledger/bank/reported-line.ts';
import { shareCredits } from './share-credits.ts';
import { type EntryLink, isPartOf } from './sums.ts';

/** Money that fits a report equally well: of very many, it does not matter which. */
const mostCompared = 50;

/**
 * Decides what money lines over one amount are: what is proven first, then what statements list, then what else says the same. The lines are in their order, which is that of
 * the money.
 */
export function decideAlike(lines: readonly ReportedLine[], linkOf: LinkOf, isRead: IsRead): Money[] {
  // There is nothing that it could be, and most lines of a large file are so.
  if (lines.length === 1) {
    const money = moneyOf({ lines: [...lines] }, linkOf);
    shareCredits([money], isRead);
    return [money];
  }
  const rules = rulesOf(lines, linkOf);
  const areOther: AreOther = (one, other) =>
    one.lines.some((line) => other.lines.some((known) => rules.relationOf(line, known) === 'other'));
  // A notification is the same as another only where that is proven.
  const areNotified: AreOther = (one, other) => one.lines.some((line) => isReportedIn(other, line.document.kind)) || areOther(one, other);
  const places = createPlaces(areOther);
  const { known } = places;
  const groups = joinProven(lines, rules).map((proven): LineGroup => ({ lines: [...proven] }));
  for (const [kind, ofKind] of [...Map.groupBy(groups, kindOf)].toSorted(([one], [other]) => compareKinds(one, other))) {
    if (kind === statementKind) {
      for (const group of gatherStatements(ofKind, areOther)) places.add(group);
      continue;
    }
    // What may be notified again takes no place in a statement from what is notified once.
    const equal = findEqual(ofKind, areOther);
    const partners = new Map<LineGroup, LineGroup>();
    for (const reports of [ofKind.filter((report) => !equal.has(report)), [...equal]]) {
      const taken = new Set(partners.values());
      const free = known.filter((group) => !taken.has(group));
      for (const [report, partner] of matchGroups(reports, free, areNotified)) partners.set(report, partner);
    }
    for (const [report, partner] of partners) places.add(report, partner);
    for (const report of ofKind) if (!partners.has(report)) places.addUnlessCounted(report);
  }
  const money = known.map((group) => moneyOf(group, linkOf));
  const ofTheirDay = new Set(money.flatMap(linesOfTheirDay));
  holdRepeats(
    money.toSorted((one, other) => Number(other.isStated) - Number(one.isStated)),
    (one, other) => rules.areOther(one, other) || (differ(one.bookedOn, other.bookedOn) && ofTheirDay.has(one) && ofTheirDay.has(other)),
  );
  money.push(...money.flatMap(takeRest));
  shareCredits(money, isRead);
  return money;
}

/** The sums that entries stand for, by entry. */
export type LinkOf = ReadonlyMap<string, EntryLink>;

/** The sum that a statement lists, by an entry that stands for it. */
function statedLink(linkOf: LinkOf, entry: string): EntryLink | undefined {
  const link = linkOf.get(entry);
  return link?.isStated === true ? link : undefined;
}

/** How lines are compared: by what they say, by the sums that they stand for, and by what an operator has said. */
function rulesOf(lines: readonly ReportedLine[], linkOf: LinkOf) {
  const statementEntries = new Set(lines.flatMap(({ document, entry }) => (document.kind === statementKind ? [entry.id] : [])));
  /** A statement that lists a sum lists its transactions in that. */
  function isListedElsewhere(line: ReportedLine, listed: ReportedLine): boolean {
    const link = statedLink(linkOf, line.entry.id);
    if (line.document.kind === statementKind || link === undefined || !statementEntries.has(listed.entry.id)) return false;
    return linkOf.get(listed.entry.id) !== link && !isPartOf(listed, link.sums);
  }
  function relationAlone(line: ReportedLine, known: ReportedLine): Relation {
    const isOther = isListedElsewhere(line, known) || isListedElsewhere(known, line) || areSaidApart(line, known);
    const relation = isOther ? 'other' : relationOf(line, known);
    return relation === 'possible' && isSaidNotBooked(line, known) ? 'other' : relation;
  }
  return {
    areOther: (line: ReportedLine, known: ReportedLine): boolean => relationAlone(line, known) === 'other',
    relationOf(line: ReportedLine, known: ReportedLine): Relation {
      const relation = relationAlone(line, known);
      const [own, other] = [line, known].map(({ entry }) => statedLink(linkOf, entry.id));
      // A statement counts its sums: what is reported of one again are the same transactions, and what is reported of two are others.
      if (relation !== 'possible' || own === undefined || other === undefined) return relation;
      return own === other ? 'same' : 'other';
    },
    bookingOf: ({ entry }: ReportedLine) => statedLink(linkOf, entry.id),
  };
}

/** Whether an operator has said of one of two lines, of which two credits were made, that it is money of its own. */
function areSaidApart({ credit: one }: ReportedLine, { credit: other }: ReportedLine): boolean {
  if (one?.isFirst !== true || other?.isFirst !== true) return false;
  return (one.isPinned || other.isPinned) && one.reference !== other.reference;
}

/** Whether an operator has said of one of two lines that the bank has not booked it, and a statement lists the other: only proof shows that it has. */
function isSaidNotBooked(one: ReportedLine, other: ReportedLine): boolean {
  const isSaid = one.credit?.isNotBooked === true || other.credit?.isNotBooked === true;
  return isSaid && (one.document.kind === statementKind || other.document.kind === statementKind);
}

/** Takes the lines of statements out of money of which less was issued than they list, before the charges that a message names: the rest is other money. */
function takeRest(money: Money): Money[] {
  const { lines, amount, statements } = money;
  const [stated = [], notified = []] = [true, false].map((isStated) => lines.filter((line) => statements.includes(line) === isStated));
  const first = notified.find(({ credit, isSum }) => credit?.isFirst === true && credit.state === 'spent' && !isSum);
  const issued = first?.credit?.amount ?? amount;
  if (stated.length === 0 || amount === null || issued === null || issued >= amount) return [];
  const rest = { ...moneyOf({ lines: stated }, new Map()), left: minorUnits(amount - issued), isRest: true };
  Object.assign(money, moneyOf({ lines: notified }, new Map()), { isStated: true, statements });
  return [rest];
}

/** The transactions of batches whose sum a statement lists on their day. Those of two days are two money: no bank notifies a batch again as that of another day. */
function linesOfTheirDay({ lines, statements }: Money): ReportedLine[] {
  const sums = statements.filter((listed) => listed.isSum && !lines.includes(listed));
  return lines.filter(({ bookedOn }) => sums.some((sum) => isSame(sum.bookedOn, bookedOn)));
}

/** The kind of message that counts first of those in which a group is reported. */
function kindOf({ lines }: LineGroup): string {
  return lines.map(({ document }) => document.kind).toSorted(compareKinds)[0] ?? '';
}

function isReportedIn({ lines }: LineGroup, kind: string): boolean {
  return lines.some(({ document }) => document.kind === kind);
}

/** Statements come first: they list every booking once. */
function compareKinds(one: string, other: string): number {
  const [first, second] = [one, other].map((kind) => (kind === statementKind ? '' : kind)) as [string, string];
  return compareTexts(first, second);
}

/** Gathers what statements list: each lists a booking once, and may list days again that another has listed. It comes in the order of the lines. */
function gatherStatements(proven: readonly LineGroup[], areOther: AreOther): LineGroup[] {
  const gathered: LineGroup[] = [];
  const hasEachDay = proven.every(({ lines: [line] }) => line !== undefined && line.bookedOn !== null);
  // Statements list other money on other days, unless a day is not known: thousands of one amount are not compared with those of the day before.
  const byDay = (groups: readonly LineGroup[]) => Map.groupBy(groups, ({ lines: [line] }) => (hasEachDay ? line?.bookedOn : null));
  for (const document of Map.groupBy(proven, ({ lines: [line] }) => line?.document).values()) {
    const known = byDay(gathered);
    for (const [day, ofDay] of byDay(document)) {
      const partners = matchGroups(ofDay, known.get(day) ?? [], areOther);
      for (const [group, partner] of partners) partner.lines.push(...group.lines);
      gathered.push(...ofDay.filter((group) => !partners.has(group)));
    }
  }
  const order = new Map(proven.map(({ lines: [line] }, index) => [line, index]));
  return gathered.toSorted((one, other) => (order.get(one.lines[0]) ?? 0) - (order.get(other.lines[0]) ?? 0));
}

/** Those that nothing proves to be anything, and that may be the money of others of the same day before them. */
function findEqual(reports: readonly LineGroup[], areOther: AreOther): Set<LineGroup> {
  const equal = new Set<LineGroup>();
  for (const ofDay of Map.groupBy(reports, ({ lines }) => lines[0]?.bookedOn).values()) {
    const before: LineGroup[] = [];
    for (const report of ofDay) {
      const isUnproven = report.lines.every(({ number, uetr, entry }) => number === null && uetr === null && entry.number === null);
      if (isUnproven && before.some((other) => !areOther(report, other))) equal.add(report);
      else if (before.length < mostCompared) before.push(report);
    }
  }
  return equal;
}

/** Money that is gathered, by the kinds of message and the days in which it is reported. */
function createPlaces(areOther: AreOther) {
  const known: LineGroup[] = [];
  const byPlace = new Map<string, Set<LineGroup>>();

  /** Adds a report to a group, or as one of its own. */
  function add(report: LineGroup, group = report): void {
    if (group === report) known.push(report);
    else group.lines.push(...report.lines);
    for (const key of report.lines.map(placeOf)) byPlace.set(key, (byPlace.get(key) ?? new Set<LineGroup>()).add(group));
  }

  /** The most alike of those that the same kind of message has reported. */
  function findAlike(report: LineGroup): LineGroup | undefined {
    const fitting = new Set<LineGroup>();
    for (const key of report.lines.map(placeOf))
      for (const group of byPlace.get(key) ?? []) {
        if (fitting.size === mostCompared) break;
        if (!areOther(report, group)) fitting.add(group);
      }
    const likeness = new Map([...fitting].map((group) => [group, likenessOfGroups(report, group)]));
    const most = Math.max(...likeness.values());
    return [...fitting].find((group) => likeness.get(group) === most);
  }

  return {
    known,
    add,
    /** Adds what is no other known money as new, unless the same kind of message has an equal line already, and a statement lists that: it has counted both. */
    addUnlessCounted(report: LineGroup): void {
      const alike = findAlike(report);
      add(report, alike?.lines.some(({ document }) => document.kind === statementKind) === true ? alike : report);
    },
  };
}

/** Where an equal line of the same kind of message can be. */
function placeOf({ document, bookedOn }: ReportedLine): string {
  return `${document.kind} ${bookedOn}`;
}
