import { isSame, type Relation, relationOf } from './compare-lines.ts';
import { holdConflicts, holdOverlaps } from './hold-conflicts.ts';
import { type LineGroup, matchGroups } from './match-groups.ts';
import { type Money, moneyOf } from './money.ts';
import { compareLines } from './order.ts';
import { type Candidate, createPlaces, mostCompared } from './places.ts';
import { type ReportedLine, statementKind } from './reported-line.ts';
import { shareCredits } from './share-credits.ts';
import { putWithin, takeParts } from './sum-parts.ts';
import { type EntryLink, linkSums, withWholeEntries } from './sums.ts';

/**
 * Decides what money the lines of an account are, all of which arrived or all of which left. What comes out depends on the lines and on the credits that were made of them, and never on the order in which
 * they came: a further line adds money or says more of it. The rules are those of docs/bank-files.md (Which money is it?).
 */
export function decideMoney(reported: readonly ReportedLine[]): Money[] {
  const lines = withWholeEntries(reported).toSorted(compareLines);
  // What an operator has said to be money of its own is decided with all that is other money.
  const [open = [], pinned = []] = [false, true].map((is) =>
    lines.filter(({ credit }) => (credit?.isPinned === true && !credit.isFirst) === is),
  );
  const links = linkSums(open);
  const linked = new Set(links.flatMap(({ sums }) => sums));
  const single = open.filter((line) => !linked.has(line));
  const partitions = Map.groupBy(single, ({ amount, currency, entry, number }) =>
    amount === null ? (number ?? entry.id) : `${amount} ${currency}`,
  );
  const money = [...partitions.values()].flatMap((alike) => decideAlike(alike, links));
  const sums = links.map((link) => moneyOfSum(link, money));
  const all = [...money, ...sums];
  for (const sum of money) if (sum.lines.every(({ isSum }) => isSum)) takeParts(sum, sum.lines, money);
  for (const line of pinned) {
    const known = all.find(({ credit }) => credit !== undefined && credit.reference === line.credit?.reference);
    known?.lines.push(line);
  }
  holdOverlaps(money);
  holdConflicts(all);
  return all;
}

/** Money of lines over one amount. Statements come first: they list every booking once. */
function decideAlike(lines: readonly ReportedLine[], links: readonly EntryLink[]): Money[] {
  const linkOf = new Map(links.flatMap((link) => [...link.entries].map((entry) => [entry, link] as const)));
  /** The best proof decides, unless one of the lines excludes it. A statement that lists a sum lists its transactions in that. */
  function compareGroups(one: LineGroup, other: LineGroup): Relation {
    const relations = new Set<Relation>();
    for (const line of one.lines) {
      for (const known of other.lines) {
        const isOther = isListedElsewhere(line, known) || isListedElsewhere(known, line) || areSaidApart(line, known);
        const relation = isOther ? 'other' : relationInSums(line, known);
        if (relation === 'other') return 'other';
        relations.add(relation);
      }
    }
    if (relations.has('same')) return 'same';
    return relations.has('numbered apart') ? 'other' : 'possible';
  }
  function isListedElsewhere({ entry, document }: ReportedLine, { entry: listed }: ReportedLine): boolean {
    const link = linkOf.get(entry.id);
    if (document.kind === statementKind || link?.isStated !== true || !statementEntries.has(listed.id)) return false;
    return linkOf.get(listed.id) !== link && !isSame(entry.number, listed.number);
  }
  /** A statement counts its sums: what is reported of one again are the same transactions, and what is reported of two are others. */
  function relationInSums(line: ReportedLine, known: ReportedLine): Relation {
    const relation = relationOf(line, known);
    const [own, other] = [linkOf.get(line.entry.id), linkOf.get(known.entry.id)];
    if (relation !== 'possible' || own?.isStated !== true || other?.isStated !== true) return relation;
    return own === other ? 'same' : 'other';
  }
  const statementEntries = new Set(lines.flatMap(({ document, entry }) => (document.kind === statementKind ? [entry.id] : [])));
  const places = createPlaces(compareGroups);
  const { known } = places;
  for (const kind of [...new Set(lines.map(({ document }) => document.kind))].toSorted(compareKinds)) {
    const ofKind = lines.filter(({ document }) => document.kind === kind);
    const reports = gatherKind(ofKind, kind, compareGroups);
    const repeated = kind === statementKind ? new Set<Candidate>() : findEqual(reports, compareGroups);
    const partners = matchGroups(
      reports.filter((report) => !repeated.has(report)),
      known,
      compareGroups,
    );
    // What may be notified again takes no place in a statement from what is notified once.
    const taken = new Set(partners.values());
    const free = known.filter((candidate) => !taken.has(candidate));
    for (const [report, partner] of matchGroups([...repeated], free, compareGroups)) partners.set(report, partner);
    const rest = reports.filter((report) => !partners.has(report));
    for (const [report, partner] of partners) places.join(report, partner);
    for (const report of rest) places.place(report, kind);
  }
  const money = new Map(known.map((candidate) => [candidate, moneyOf(candidate, linkOf)]));
  for (const [{ mayBe }, one] of money)
    if (mayBe !== undefined)
      one.hold = {
        reason: 'suspected_repeat',
        why: 'a message of the same kind says the same of it, and no statement has counted them yet',
        of: money.get(mayBe),
      };
  holdUncounted([...money.values()]);
  shareCredits([...money.values()]);
  return [...money.values()];
}

/** Whether an operator has said of one of two lines, of which two credits were made, that it is money of its own. */
function areSaidApart({ credit: one }: ReportedLine, { credit: other }: ReportedLine): boolean {
  if (one?.isFirst !== true || other?.isFirst !== true) return false;
  return (one.isPinned || other.isPinned) && one.reference !== other.reference;
}

/**
 * Holds what equal notifications say of a customer's money beyond what one of them lists, where the statement names no creditor: its lines may be other customers'.
 */
function holdUncounted(all: readonly Money[]): void {
  const classes = Map.groupBy(
    all.flatMap((money) =>
      money.lines.filter(({ document, iban }) => document.kind !== statementKind && iban !== null).map((line) => ({ money, line })),
    ),
    ({ line: { document, iban, bookedOn, endToEndId, payerAccount, uetr, number } }) =>
      JSON.stringify([document.kind, iban, bookedOn, endToEndId, payerAccount, uetr, number]),
  );
  for (const equal of classes.values()) {
    const inOne = Math.max(...[...Map.groupBy(equal, ({ line }) => line.document.id).values()].map((of) => of.length));
    const money = [...new Set(equal.map((one) => one.money))].toSorted((one, other) => Number(isUnclear(one)) - Number(isUnclear(other)));
    const why = 'a message of the same kind says the same of it, and the statement does not say whose it is';
    for (const one of money.slice(inOne)) if (isUnclear(one)) one.hold ??= { reason: 'suspected_repeat', why, of: money[0] };
  }
}

/** Whether a statement lists money, and none says whose it is. */
function isUnclear({ lines, isStated }: Money): boolean {
  return isStated && lines.every(({ document, iban }) => document.kind !== statementKind || iban === null);
}

function compareKinds(one: string, other: string): number {
  const [first, second] = [one, other].map((kind) => (kind === statementKind ? '' : kind)) as [string, string];
  return first < second ? -1 : first > second ? 1 : 0;
}

/**
 * Gathers the lines of one kind of message: each document lists a booking once. A statement may list days again that another has listed; a notification is the same
 * as another only where that is proven. They come in the order of the lines, whichever document those stand in.
 */
function gatherKind(
  lines: readonly ReportedLine[],
  kind: string,
  compareGroups: (one: LineGroup, other: LineGroup) => Relation,
): Candidate[] {
  const gathered: Candidate[] = [];
  const hasEachDay = lines.every(({ bookedOn }) => bookedOn !== null);
  // Lines of other days are other money in one kind of message, unless a day is not known: thousands of one amount are not compared with those of the day before.
  const byDay = (groups: readonly Candidate[]) => Map.groupBy(groups, ({ lines: [line] }) => (hasEachDay ? line?.bookedOn : null));
  for (const document of Map.groupBy(lines, ({ document: { id } }) => id).values()) {
    const own = document.map((line): Candidate => ({ lines: [line] }));
    const known = byDay(gathered);
    const partners = new Map<Candidate, Candidate>();
    for (const [day, ofDay] of byDay(own))
      for (const [line, partner] of matchGroups(ofDay, known.get(day) ?? [], (one, other) => {
        const relation = compareGroups(one, other);
        return relation === 'possible' && kind !== statementKind ? 'other' : relation;
      }))
        partners.set(line, partner);
    for (const [line, partner] of partners) partner.lines.push(...line.lines);
    gathered.push(...own.filter((line) => !partners.has(line)));
  }
  const order = new Map(lines.map((line, index) => [line, index]));
  const first = new Map(gathered.map((group) => [group, Math.min(...group.lines.map((line) => order.get(line) ?? 0))]));
  return gathered.toSorted((one, other) => (first.get(one) ?? 0) - (first.get(other) ?? 0));
}

/** Those that nothing proves to be anything, and that may be the money of others of the same day before them. */
function findEqual(reports: readonly Candidate[], compareGroups: (one: LineGroup, other: LineGroup) => Relation): Set<Candidate> {
  const equal = new Set<Candidate>();
  for (const ofDay of Map.groupBy(reports, ({ lines }) => lines[0]?.bookedOn).values()) {
    const before: Candidate[] = [];
    for (const report of ofDay) {
      const isUnproven = report.lines.every(({ number, uetr, entry }) => number === null && uetr === null && entry.number === null);
      if (isUnproven && before.some((other) => compareGroups(report, other) === 'possible')) equal.add(report);
      else if (before.length < mostCompared) before.push(report);
    }
  }
  return equal;
}

/** The sum of a link: its transactions stand for it, unless it became an order before. */
function moneyOfSum({ sums, entries }: EntryLink, money: readonly Money[]): Money {
  const sum = moneyOf({ lines: sums }, new Map());
  shareCredits([sum]);
  if (sum.credit?.state === 'spent') {
    putWithin(
      sum,
      money.filter(({ lines }) => lines.some(({ entry }) => entries.has(entry.id))),
    );
    return sum;
  }
  takeParts(sum, sums, money, entries);
  return Object.assign(sum, { left: null });
}
