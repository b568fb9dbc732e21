import { compareTexts, differ, isSame, type Relation, relationOf } from './compare-lines.ts';
import { holdRepeats } from './hold-repeats.ts';
import { joinProven } from './join-proven.ts';
import { type AreOther, type LineGroup, matchGroups } from './match-groups.ts';
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
  const known: LineGroup[] = [];
  const add = (report: LineGroup, group: LineGroup | undefined) =>
    group === undefined ? known.push(report) : group.lines.push(...report.lines);
  const groups = joinProven(lines, rules).map((proven): LineGroup => ({ lines: [...proven] }));
  for (const [kind, ofKind] of [...Map.groupBy(groups, kindOf)].toSorted(([one], [other]) => compareKinds(one, other))) {
    if (kind === statementKind) {
      for (const group of gatherStatements(ofKind, areOther)) add(group, undefined);
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
    for (const [report, partner] of partners) add(report, partner);
    // What a message lists as others of its kind and day is as many money, but for what a statement lists: it has counted all of them.
    for (const ofDocument of Map.groupBy(ofKind, ({ lines: [line] }) => line?.document).values()) {
      const left = ofDocument.filter((report) => !partners.has(report));
      const alike = matchGroups(left, known, (one, other) => !shareDay(one, other) || areOther(one, other));
      for (const report of left) {
        const group = alike.get(report);
        add(report, group !== undefined && isReportedIn(group, statementKind) ? group : undefined);
      }
    }
  }
  const money = known.map((group) => moneyOf(group, linkOf));
  const ofTheirDay = new Set(money.flatMap(linesOfTheirDay));
  holdRepeats(
    money.toSorted((one, other) => Number(other.isStated) - Number(one.isStated)),
    (one, other) => rules.areOther(one, other) || (differ(one.bookedOn, other.bookedOn) && ofTheirDay.has(one) && ofTheirDay.has(other)),
  );
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
  const linesOf = Map.groupBy(lines, ({ entry }) => entry.id);
  const counterparts = new Map<string, Map<ReportedLine | undefined, ReportedLine | undefined>>();
  /** Whether two lines of one booking are one transaction: where one entry is before charges and the other after them, each of the one has its own in the other. */
  function areCounterparts(...lines: [ReportedLine, ReportedLine]): boolean {
    const [first, second] = lines.toSorted((one, other) => compareTexts(one.entry.id, other.entry.id)) as [ReportedLine, ReportedLine];
    if (first.entry.total === second.entry.total) return true;
    const key = `${first.entry.id} ${second.entry.id}`;
    const known = counterparts.get(key);
    if (known !== undefined) return known.get(first) === second;
    const [left = [], right = []] = [first, second].map(({ entry }) =>
      linesOf.get(entry.id)?.map((line): LineGroup => ({ lines: [line] })),
    );
    const pairs = matchGroups(left, right, (one, other) =>
      one.lines.some((line) => other.lines.some((of) => relationAlone(line, of) === 'other')),
    );
    counterparts.set(key, new Map([...pairs].map(([one, other]) => [one.lines[0], other.lines[0]])));
    return areCounterparts(first, second);
  }
  return {
    areOther: (line: ReportedLine, known: ReportedLine): boolean => relationAlone(line, known) === 'other',
    relationOf(line: ReportedLine, known: ReportedLine): Relation {
      const relation = relationAlone(line, known);
      const [own, other] = [line, known].map(({ entry }) => statedLink(linkOf, entry.id));
      // A statement counts its sums: what is reported of one again are the same transactions, and what is reported of two are others.
      if (relation !== 'possible' || own === undefined || other === undefined) return relation;
      return own !== other ? 'other' : areCounterparts(line, known) ? 'same' : 'possible';
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

/** Whether a report and a group have a line each in one kind of message on one day. */
function shareDay({ lines }: LineGroup, { lines: known }: LineGroup): boolean {
  return lines.some((line) => known.some((other) => other.document.kind === line.document.kind && other.bookedOn === line.bookedOn));
}
