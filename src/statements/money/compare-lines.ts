import { isDeepStrictEqual } from 'node:util';
import { isNumberOfIban } from '../../bank/iso20022/camt/party.ts';
import { mostDaysBetween } from '../../ledger/bank/related-reports.ts';
import { haveOneAmount } from './charged-amounts.ts';
import { type Balances, type ReportDocument, type ReportedLine, statementKind } from '../../ledger/bank/reported-line.ts';

/** What two lines are to each other: proven to be the same money, possibly the same, or other money. */
export type Relation = 'same' | 'possible' | 'other';

/** Compares two lines by the rules of docs/bank-files.md (Which money is it?). */
export function relationOf(one: ReportedLine, other: ReportedLine): Relation {
  if (areApart(one, other) || contradict(one, other)) return 'other';
  const isOfOneEntry = areOfOneEntry(one, other);
  // What lists an entry in full lists the same transactions under whatever numbers.
  if (areOfOtherDays(one, other)) return isSame(one.uetr, other.uetr) ? 'same' : areNumberedApart(one, other) ? 'other' : 'possible';
  if (isSame(one.number, other.number) || (isOfOneEntry && one.entry.isComplete && other.entry.isComplete)) return 'same';
  if (areNumberedApart(one, other)) return 'other';
  return isOfOneEntry || isSame(one.uetr, other.uetr) || isSentAgain(one, other) ? 'same' : 'possible';
}

/** Whether one kind of message reports two lines on different days: its numbers may be counted anew. */
export function areOfOtherDays(one: ReportedLine, other: ReportedLine): boolean {
  return one.document.kind === other.document.kind && differ(one.bookedOn, other.bookedOn);
}

/** How much two lines have in common that may be the same money, for the choice among several. */
export function likenessOf(one: ReportedLine, other: ReportedLine): number {
  const shared: [boolean, number][] = [
    [isSame(one.number, other.number), 640],
    [isSame(one.uetr, other.uetr), 640],
    [one.amount === other.amount, 100],
    [isSame(one.entry.number, other.entry.number), 320],
    [haveEqualEntries(one, other), 240],
    [isSame(one.endToEndId, other.endToEndId), 160],
    [both(one.payerAccount, other.payerAccount) && !haveOtherPayers(one, other), 80],
    [isSame(one.iban, other.iban), 40],
    [isSame(one.payerName, other.payerName), 20],
  ];
  return shared.reduce((sum, [is, weight]) => (is ? sum + weight : sum), 0) - daysBetween(one, other);
}

/** Whether two lines stand in entries of one total and as many transactions: a payment that is booked alone is mostly notified alone. */
function haveEqualEntries({ entry: one }: ReportedLine, { entry: other }: ReportedLine): boolean {
  return one.total !== null && one.total === other.total && one.count !== null && one.count === other.count;
}

/** Whether two lines say different things of whose payment it is: the payer's or a bank's own facts of it. */
export function contradict(one: ReportedLine, other: ReportedLine): boolean {
  return (
    !haveOneAmount(one, other) ||
    differ(one.uetr, other.uetr) ||
    differInText(one.endToEndId, other.endToEndId) ||
    differ(one.file, other.file) ||
    haveOtherPayers(one, other) ||
    differ(one.iban, other.iban) ||
    haveOtherCounts(one, other) ||
    (one.document.kind === other.document.kind &&
      differInText(one.payerName, other.payerName) &&
      !both(one.payerAccount, other.payerAccount))
  );
}

/** Whether two lines are batches of different numbers of transactions. */
function haveOtherCounts(one: ReportedLine, other: ReportedLine): boolean {
  if (!one.isSum || !other.isSum || one.entry.count === null || other.entry.count === null) return false;
  return one.entry.count !== other.entry.count;
}

/** Whether two lines name the accounts of different payers. A bank may write one by its IBAN in a message, and by its domestic number in another. */
function haveOtherPayers({ payerAccount: one }: ReportedLine, { payerAccount: other }: ReportedLine): boolean {
  if (one === null || other === null || one === other) return false;
  return !isNumberOfIban(one, other) && !isNumberOfIban(other, one) && !isMaskOf(one, other) && !isMaskOf(other, one);
}

/** Whether an account is another of which a message hides the middle. */
function isMaskOf(masked: string, account: string): boolean {
  const [start = '', end = '', ...more] = masked.split(/\*+|X{3,}/);
  return start !== masked && more.length === 0 && start.length + end.length > 0 && account.startsWith(start) && account.endsWith(end);
}

/** Whether the place of two lines shows that they are other money, whatever they say: one message, other days, statements that follow each other. */
export function areApart(one: ReportedLine, other: ReportedLine): boolean {
  if (one.document.id === other.document.id) return true;
  if (follow(one.document, other.document, one.currency ?? '')) return !isOfSharedDay(one, other);
  if (arePages(one.document, other.document)) return !arePagesSentAgain(one, other);
  if (one.document.kind === statementKind && other.document.kind === statementKind) return differ(one.bookedOn, other.bookedOn);
  return daysBetween(one, other) > mostDaysBetween;
}

/** Whether two documents list different bookings in a currency: pages of one, and statements that follow each other. */
export function haveOtherBookings(one: ReportDocument, other: ReportDocument, currency: string): boolean {
  return arePages(one, other) || follow(one, other, currency);
}

/** Days of the calendar between two bookings; none where a day is not known. */
export function daysBetween(
  { bookedOn: one }: Pick<ReportedLine, 'bookedOn'>,
  { bookedOn: other }: Pick<ReportedLine, 'bookedOn'>,
): number {
  return one === null || other === null ? 0 : Math.abs(Date.parse(one) - Date.parse(other)) / 86_400_000;
}

/** The order of two texts. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Whether both say the same. */
export function isSame(one: string | null, other: string | null): boolean {
  return one !== null && one === other;
}

/** Whether both say something, and not the same. */
export function differ(one: string | null, other: string | null): boolean {
  return both(one, other) && one !== other;
}

/** Whether two comparable texts say different things. A message may cut a text; a short one is not cut. */
function differInText(one: string | null, other: string | null): boolean {
  if (one === null || other === null || one === other) return false;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length < shortestCut || long.length - short.length < leastCut || !long.startsWith(short);
}

/** The old formats of banks have references of 16 characters, some of which are no letters or digits. */
const shortestCut = 12;

/** Texts that differ in fewer characters at their end are two that are counted. */
const leastCut = 3;

function both(one: string | null, other: string | null): boolean {
  return one !== null && other !== null;
}

/** Whether both are of an entry with one number and total, of which each message lists every transaction once. */
function areOfOneEntry(one: ReportedLine, other: ReportedLine): boolean {
  return isSame(one.entry.number, other.entry.number) && one.entry.total !== null && one.entry.total === other.entry.total;
}

/** Whether the bank's numbers tell two lines of one kind of message apart: of the transactions or, where one has none, of their entries. */
function areNumberedApart(one: ReportedLine, other: ReportedLine): boolean {
  if (one.document.kind !== other.document.kind || isStatedTogether(one, other)) return false;
  if (both(one.number, other.number)) return !isEntryOf(one, other) && !isEntryOf(other, one);
  // A notification may tell of a payment alone and of its batch, a statement books it in one entry.
  const areListed = one.document.kind === statementKind || (one.number === null && other.number === null);
  return areListed && differ(one.entry.number, other.entry.number);
}

/** Whether the entries of two lines of one kind of message have different numbers of the bank, in statements that count by one another. */
export function haveOtherNumbers(one: ReportedLine, other: ReportedLine): boolean {
  if (one.document.kind !== other.document.kind || !differ(one.entry.number, other.entry.number)) return false;
  return !isStatedTogether(one, other) && !isDayStatedAgain(one, other);
}

function isStatedTogether(one: ReportedLine, other: ReportedLine): boolean {
  return isStatedWithin(one, other) || isStatedWithin(other, one);
}

/** Whether two statements are of the same days, and of the same movement by their balances. */
function isDayStatedAgain({ document: one, currency }: ReportedLine, { document: other }: ReportedLine): boolean {
  const [first, second] = [one.balances[currency ?? ''], other.balances[currency ?? '']];
  if (one.kind !== statementKind || other.kind !== statementKind || first === undefined || second === undefined) return false;
  const areEqual = isSame(first.opening, second.opening) && isSame(first.closing, second.closing);
  return areEqual && first.opening !== first.closing && isDeepStrictEqual(daysOf(one), daysOf(other));
}

/**
 * Whether all that the statement of a line lists is in that of the other, which is over more days: over those before and after its own or, by the balances, from or to where
 * it begins or ends. Those may be numbered by themselves.
 */
function isStatedWithin({ document: one, currency }: ReportedLine, { document: other }: ReportedLine): boolean {
  if (one.kind !== statementKind || other.kind !== statementKind || !isWithin(one, other)) return false;
  const [own, others] = [daysOf(one), daysOf(other)];
  const [part, whole] = [one.balances[currency ?? ''], other.balances[currency ?? '']];
  const beginsLater = others.from < own.from || (differ(part?.closing ?? null, whole?.opening ?? null) && part?.opening === whole?.opening);
  const endsEarlier = own.to < others.to || (differ(part?.opening ?? null, whole?.closing ?? null) && part?.closing === whole?.closing);
  return beginsLater && endsEarlier;
}

/** Whether a line is an entry as a whole, and the other its only transaction, which has a number of its own. */
function isEntryOf({ number, entry, amount }: ReportedLine, other: ReportedLine): boolean {
  return number === entry.number && isSame(entry.number, other.entry.number) && amount === other.entry.total;
}

/** Whether a message was sent again: the same line of the same message. Another `NtryRef` shows that there may be two. */
function isSentAgain(one: ReportedLine, other: ReportedLine): boolean {
  const [own, others] = [one.document, other.document];
  return (
    own.kind === others.kind &&
    own.name !== '' &&
    own.name === others.name &&
    own.createdAt === others.createdAt &&
    !differ(one.entry.name, other.entry.name)
  );
}

/** Whether two documents are different pages of one. */
function arePages(one: ReportDocument, other: ReportDocument): boolean {
  if (one.page === null || other.page === null || one.page === other.page) return false;
  return one.kind === other.kind && one.name !== '' && one.name === other.name;
}

/**
 * Whether one statement begins where the other ends, or other statements of its day between them: they list different bookings. They need not where one may be a part of
 * the other, because the balances return to what they were.
 */
function follow(one: ReportDocument, other: ReportDocument, currency: string): boolean {
  if (one.kind !== statementKind || other.kind !== statementKind) return false;
  const [first, second] = [one.balances[currency], other.balances[currency]];
  if (first === undefined || second === undefined || first.opening === second.opening) return false;
  const between = [...one.balancesOfDay, ...other.balancesOfDay].flatMap((balances) => balances[currency] ?? []);
  if (isOfDay(one, other)) {
    if (first.closing === second.closing) return false;
    const others = without(
      without(
        one.balancesOfDay.flatMap((balances) => balances[currency] ?? []),
        first,
      ),
      second,
    );
    if (mayShare(first, second, others) || mayShare(second, first, others)) return false;
  }
  const mayReturn = isWithin(one, other) || isWithin(other, one);
  const leads = (before: Balances, after: Balances) =>
    leadsTo(before.closing, after.opening, between) &&
    !(mayReturn && (leadsTo(after.closing, before.closing, between) || leadsTo(after.opening, before.opening, between)));
  return (precedes(one, other) && leads(first, second)) || (precedes(other, one) && leads(second, first));
}

/** Whether two statements are of one day. */
function isOfDay(one: ReportDocument, other: ReportDocument): boolean {
  const [first, second] = [daysOf(one), daysOf(other)];
  return first.from === first.to && second.from === second.to && first.to === second.to;
}

/** Whether a statement may begin within another: others of the day lead from where that opens to where it does, and from the end of one of them to that of the other. */
function mayShare(one: Balances, other: Balances, others: readonly Balances[]): boolean {
  const leadsToEnd = leadsTo(other.closing, one.closing, others) || leadsTo(one.closing, other.closing, others);
  return leadsTo(one.opening, other.opening, others) && leadsToEnd;
}

/** These without the first that has such balances. */
function without(balances: readonly Balances[], { opening, closing }: Balances): Balances[] {
  const index = balances.findIndex((balance) => balance.opening === opening && balance.closing === closing);
  return balances.filter((_, position) => position !== index);
}

/** Whether a statement neither begins nor ends on a later day than another. */
function precedes(one: ReportDocument, other: ReportDocument): boolean {
  const [first, second] = [daysOf(one), daysOf(other)];
  return first.from <= second.from && first.to <= second.to;
}

/** Whether the days of a statement are among several of another. */
function isWithin(one: ReportDocument, other: ReportDocument): boolean {
  const [first, second] = [daysOf(one), daysOf(other)];
  return second.from < second.to && second.from <= first.from && first.to <= second.to;
}

function daysOf({ fromOn, closedOn }: ReportDocument): { from: string; to: string } {
  return { from: fromOn ?? closedOn ?? '', to: closedOn ?? '' };
}

/** Whether the bank's number or a UETR shows that a booking of a day that two statements share, and which is not the only one of both, is in both. */
function isOfSharedDay(one: ReportedLine, other: ReportedLine): boolean {
  const day = one.bookedOn ?? '';
  const isShared = [one, other].every(({ document }) => daysOf(document).from <= day && day <= daysOf(document).to);
  if (!isShared || isOfDay(one.document, other.document)) return false;
  return isSame(one.bookedOn, other.bookedOn) && (isSame(one.number, other.number) || isSame(one.uetr, other.uetr));
}

/** Whether a message was made again in other pages: the bank's number shows what is in both. */
function arePagesSentAgain(one: ReportedLine, other: ReportedLine): boolean {
  return one.document.createdAt !== other.document.createdAt && isSame(one.number, other.number) && isSame(one.bookedOn, other.bookedOn);
}

/** Whether statements lead from a balance to another, each opening where the one before it closes. */
function leadsTo(closing: string | null, opening: string | null, between: readonly Balances[]): boolean {
  if (closing === null || opening === null) return false;
  const reached = new Set([closing]);
  for (const balance of reached)
    for (const next of between) if (next.opening === balance && next.closing !== null) reached.add(next.closing);
  return reached.has(opening);
}
