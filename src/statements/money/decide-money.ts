import { minorUnits } from '../../platform/money.ts';
import { areApart, daysBetween, isSame, type Relation, relationOf } from './compare-lines.ts';
import { shareCredits } from './share-credits.ts';
import { type LineGroup, matchGroups } from './match-groups.ts';
import type { Money } from './money.ts';
import { type ReportedLine, statementKind } from './reported-line.ts';
import { type EntryLink, linkSums } from './sums.ts';

/**
 * Decides what money the lines of an account are. What comes out depends on the lines and on the credits that were made of them, and never on the order in which
 * they came: a further line adds money or says more of it. The rules are those of docs/bank-files.md (Which money is it?).
 */
export function decideMoney(reported: readonly ReportedLine[]): Money[] {
  const lines = reported.toSorted(compareLines);
  const pinned = lines.filter(({ credit }) => credit?.isPinned === true);
  const open = lines.filter(({ credit }) => credit?.isPinned !== true);
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

/** A bank's document and what it says decide, so that the same lines are always looked at in the same order. */
function compareLines(one: ReportedLine, other: ReportedLine): number {
  const keys = [one, other].map(({ document, content, id }) => [
    document.kind === statementKind ? '0' : document.kind,
    content,
    document.name,
    id,
  ]);
  const [first = [], second = []] = keys;
  const index = first.findIndex((key, position) => key !== second[position]);
  return index < 0 ? 0 : (first[index] as string) < (second[index] as string) ? -1 : 1;
}

/** Money of lines over one amount. Statements come first: they list every booking once. */
function decideAlike(lines: readonly ReportedLine[], links: readonly EntryLink[]): Money[] {
  const linkOf = new Map(links.flatMap((link) => [...link.entries].map((entry) => [entry, link] as const)));
  /** The best proof decides, unless one of the lines excludes it. A statement that lists a sum lists its transactions in that. */
  function compareGroups(one: LineGroup, other: LineGroup): Relation {
    const relations = new Set<Relation>();
    for (const line of one.lines) {
      for (const known of other.lines) {
        const relation = isListedElsewhere(line, known) || isListedElsewhere(known, line) ? 'other' : relationOf(line, known);
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
  const statementEntries = new Set(lines.flatMap(({ document, entry }) => (document.kind === statementKind ? [entry.id] : [])));
  const places = createPlaces(compareGroups);
  const { known } = places;
  for (const kind of [...new Set(lines.map(({ document }) => document.kind))].toSorted(compareKinds)) {
    const ofKind = lines.filter(({ document }) => document.kind === kind);
    const reports = gatherKind(ofKind, kind, compareGroups);
    const partners = matchGroups(reports, known, compareGroups);
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

/** Money while it is gathered. */
interface Candidate extends LineGroup {
  /** The money that it may be, as long as no statement says how often there is such money. */
  mayBe?: Candidate;
}

function compareKinds(one: string, other: string): number {
  const [first, second] = [one, other].map((kind) => (kind === statementKind ? '' : kind)) as [string, string];
  return first < second ? -1 : first > second ? 1 : 0;
}

/**
 * Gathers the lines of one kind of message: each document lists a booking once. A statement may list days again that another has listed; a notification is the same
 * as another only where that is proven.
 */
function gatherKind(
  lines: readonly ReportedLine[],
  kind: string,
  compareGroups: (one: LineGroup, other: LineGroup) => Relation,
): Candidate[] {
  const gathered: Candidate[] = [];
  for (const document of Map.groupBy(lines, ({ document: { id } }) => id).values()) {
    const own = document.map((line): Candidate => ({ lines: [line] }));
    const partners = matchGroups(own, gathered, (one, other) => {
      const relation = compareGroups(one, other);
      return relation === 'possible' && kind !== statementKind ? 'other' : relation;
    });
    for (const [line, partner] of partners) partner.lines.push(...line.lines);
    gathered.push(...own.filter((line) => !partners.has(line)));
  }
  return gathered;
}

/**
 * Money that is gathered, to which reports are added that are no other known money: as new money or, where the same kind of message has an equal line already, as money that waits.
 * Where a statement lists the equal one it has counted both, as it has where a further report is proven to be of what it lists.
 */
function createPlaces(compareGroups: (one: LineGroup, other: LineGroup) => Relation) {
  const known: Candidate[] = [];
  const byKey = new Map<string, Candidate[]>();

  function note(candidate: Candidate, lines: readonly ReportedLine[]): void {
    for (const key of new Set(lines.flatMap((line) => [...proofsOf(line), placeOf(line)]))) {
      const others = byKey.get(key);
      if (others === undefined) byKey.set(key, [candidate]);
      else others.push(candidate);
    }
  }

  function join(report: LineGroup, candidate: Candidate): void {
    candidate.lines.push(...report.lines);
    note(candidate, report.lines);
  }

  function find(keys: readonly string[], fits: (candidate: Candidate) => boolean): Candidate | undefined {
    for (const key of keys) {
      const found = byKey.get(key)?.find(fits);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    known,
    join,
    place(report: Candidate, kind: string): void {
      const { lines } = report;
      const equal =
        kind === statementKind
          ? undefined
          : (find(lines.flatMap(proofsOf), (candidate) => isListed(candidate) && compareGroups(report, candidate) === 'same') ??
            find(lines.map(placeOf), (candidate) => candidate.mayBe === undefined && isEqualTo(report, candidate, kind)));
      if (equal !== undefined && isListed(equal)) return join(report, equal);
      known.push(Object.assign(report, equal === undefined ? {} : { mayBe: equal }));
      note(report, lines);
    },
  };
}

/** By what a line can be proven to be the money of another. */
function proofsOf({ number, uetr, entry, document }: ReportedLine): string[] {
  return [
    number && `number ${number}`,
    uetr && `uetr ${uetr}`,
    entry.number && `entry ${entry.number}`,
    document.name && `message ${document.name}`,
  ].flatMap((key) => key || []);
}

/** Where an equal line of the same kind of message can be. */
function placeOf({ document, bookedOn }: ReportedLine): string {
  return `${document.kind} ${bookedOn}`;
}

/** Whether the same kind of message has reported such money, and nothing that any message says of it contradicts. */
function isEqualTo({ lines }: Candidate, candidate: Candidate, kind: string): boolean {
  const isOfKind = candidate.lines.some(({ document }) => document.kind === kind);
  return isOfKind && lines.every((line) => candidate.lines.every((other) => ['same', 'possible'].includes(relationOf(line, other))));
}

function isListed({ lines }: LineGroup): boolean {
  return lines.some(({ document }) => document.kind === statementKind);
}

function moneyOf({ lines }: LineGroup, linkOf: ReadonlyMap<string, EntryLink>): Money {
  const sums = lines.flatMap(({ entry }) => linkOf.get(entry.id)?.sums ?? []);
  const statements = [...lines, ...sums].filter(({ document }) => document.kind === statementKind);
  return {
    lines,
    best: bestOf(lines),
    credit: undefined,
    others: [],
    surplus: [],
    isStated: statements.length > 0,
    statements,
    hold: undefined,
    left: undefined,
    isExceeded: false,
    within: undefined,
  };
}

/** The clearest line: of a payment of ours that came back, else without a doubt, with a creditor, of the statement. The lines are in their order. */
function bestOf(lines: readonly ReportedLine[]): ReportedLine {
  return lines.reduce((best, line) => (doubtsOf(line) < doubtsOf(best) ? line : best));
}

/** How little a line says of whose the money is. */
export function doubtsOf({ isDoubtful, iban, isSum, isReturn }: ReportedLine): number {
  if (isReturn) return -1;
  return (isDoubtful ? 4 : 0) + (iban === null ? 2 : 0) + (isSum ? 1 : 0);
}

/** The sum of a link: its transactions stand for it, unless it became an order before. */
function moneyOfSum({ sums, entries }: EntryLink, money: readonly Money[]): Money {
  const sum = moneyOf({ lines: sums }, new Map());
  shareCredits([sum]);
  if (sum.credit?.state === 'spent') {
    for (const part of money) if (part.lines.some(({ entry }) => entries.has(entry.id)) && part.credit === undefined) part.within = sum;
    return sum;
  }
  takeParts(sum, sums, money, entries);
  return Object.assign(sum, { left: null });
}

/** Takes the transactions of an entry out of its sum, by the bank's number of the entry. What exceeds the sum waits. */
function takeParts(sum: Money, lines: readonly ReportedLine[], money: readonly Money[], linked: ReadonlySet<string> = new Set()): void {
  const [{ entry, amount }] = lines as [ReportedLine];
  if (entry.number === null || amount === null) return;
  const parts = money.filter((part) => part !== sum && part.lines.some((line) => !line.isSum && isPartOf(line, lines)));
  if (sum.credit?.state === 'spent') {
    for (const part of parts) if (part.credit === undefined) part.within = sum;
    return;
  }
  // All of it, where another document lists its transactions in full: they may come to more, by what the bank keeps.
  let taken = linked.size > 0 ? amount : 0n;
  for (const part of parts.toSorted(compareParts)) {
    if (part.lines.some((line) => linked.has(line.entry.id))) continue;
    const next = taken + (part.best.amount ?? 0n);
    const isOfMore = part.lines.every((line) => line.entry.number !== entry.number || (line.entry.total ?? amount) > amount);
    if (part.credit?.state === 'spent' || (next <= amount && !isOfMore)) taken = next;
    else part.hold ??= { reason: 'details_differ', why: 'the transactions of its entry come to more than the entry', of: undefined };
  }
  if (parts.length > 0 && taken > 0n) sum.left = taken >= amount ? null : minorUnits(amount - taken);
  sum.isExceeded = taken > amount;
  if (sum.isStated) for (const part of parts) Object.assign(part, { isStated: true, statements: [...part.statements, ...sum.statements] });
}

function isPartOf(line: ReportedLine, sums: readonly ReportedLine[]): boolean {
  // A number that comes again on another day may be a new one.
  return sums.some((sum) => isSame(sum.entry.number, line.entry.number) && !areApart(sum, line) && daysBetween(sum, line) === 0);
}

/** What was issued goes first, then what was recorded, then what a statement lists. */
function compareParts(one: Money, other: Money): number {
  return rankOf(one) - rankOf(other) || compareLines(one.best, other.best);
}

function rankOf({ credit, isStated }: Money): number {
  if (credit !== undefined) return credit.state === 'spent' ? 0 : 1;
  return isStated ? 2 : 3;
}

/** Holds what one report of an entry lists besides what another lists, where they share a part, each has more, and no report has all of it: they contradict each other. */
function holdOverlaps(all: readonly Money[]): void {
  const entries = Map.groupBy(
    all.flatMap((money) => money.lines.filter(({ entry, isSum }) => entry.number !== null && !isSum).map((line) => ({ money, line }))),
    ({ line }) => `${line.entry.number} ${line.bookedOn}`,
  );
  for (const reported of entries.values()) {
    const lists = [...Map.groupBy(reported, ({ line }) => line.entry.id).values()].map((of) => new Set(of.map(({ money }) => money)));
    if (lists.length < 2) continue;
    const everything = [...new Set(reported.map(({ money }) => money))];
    if (lists.some((list) => everything.every((money) => list.has(money)))) continue;
    for (const list of lists) {
      const other = lists.find((known) => isBesides(list, known));
      if (other === undefined) continue;
      for (const money of list) {
        if (other.has(money) || money.credit?.state === 'spent' || money.within !== undefined) continue;
        money.hold ??= {
          reason: 'details_differ',
          why: 'other transactions of the same entry are known, which do not add up',
          of: undefined,
        };
      }
    }
  }
}

/** Whether two reports of an entry share a part, and the other has more that was issued or recorded before. */
function isBesides(list: ReadonlySet<Money>, known: ReadonlySet<Money>): boolean {
  if (list === known || ![...list].some((money) => known.has(money))) return false;
  return [...known].some((money) => !list.has(money) && money.credit?.state === 'spent');
}

/** Holds money that shares a UETR with other money, or a number of the bank on one day with money of another message: one of the reports is wrong. */
function holdConflicts(all: readonly Money[]): void {
  const byUetr = indexBy(all, ({ uetr }) => uetr);
  const byNumber = indexBy(all, ({ number }) => number);
  for (const money of all) {
    if (money.hold !== undefined || money.within !== undefined || money.left !== undefined || money.credit?.state === 'spent') continue;
    const ofUetr = money.lines.flatMap(({ uetr }) => byUetr.get(uetr ?? '') ?? []).find((other) => isBefore(other, money));
    if (ofUetr !== undefined) {
      money.hold = {
        reason: 'suspected_repeat',
        why: `it has the same UETR, ${money.best.uetr}, and something else contradicts`,
        of: ofUetr,
      };
      continue;
    }
    const ofNumber = money.lines
      .flatMap(({ number }) => byNumber.get(number ?? '') ?? [])
      .find((other) => isBefore(other, money) && useOneNumber(money, other));
    if (ofNumber !== undefined)
      money.hold = { reason: 'reference_conflict', why: `it has the same number of the bank, ${money.best.number}`, of: ofNumber };
  }
}

function indexBy(all: readonly Money[], keyOf: (line: ReportedLine) => string | null): Map<string, Money[]> {
  const index = new Map<string, Money[]>();
  for (const money of all) {
    for (const key of new Set(money.lines.flatMap((line) => keyOf(line) ?? []))) {
      const others = index.get(key);
      if (others === undefined) index.set(key, [money]);
      else others.push(money);
    }
  }
  return index;
}

/** Of two that conflict, the one that counts. */
function isBefore(one: Money, other: Money): boolean {
  if (one === other || one.left !== undefined || one.within !== undefined) return false;
  return compareParts(one, other) < 0;
}

/** Whether two messages of one day use a number for different money. One message may use it twice, and a bank may count anew each day. */
function useOneNumber(money: Money, other: Money): boolean {
  return money.lines.some((line) => {
    const sharing = other.lines.filter(({ number }) => isSame(number, line.number));
    const isShared = sharing.some(({ bookedOn }) => bookedOn === line.bookedOn || bookedOn === null || line.bookedOn === null);
    return isShared && other.lines.every(({ document }) => document.id !== line.document.id);
  });
}
