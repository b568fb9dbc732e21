import { createRandom, type Random } from '../../simulation/random.ts';
import { el, type EntrySpec, masterIban, type StatementSpec, type TransactionSpec } from '../../bank/iso20022/camt/statement-xml.ts';
import { nobody, type TruePayment, uuidOf } from './bank.ts';
import {
  bookedCents,
  type ChargeStyle,
  drawCents,
  drawChargeOfEntry,
  drawChargeStyle,
  entryAmounts,
  type Kind,
  noCharges,
  transactionAmounts,
} from './charges.ts';

/** A booking: a payment, or a batch of them in one entry. */
interface Booking {
  id: string;
  /** The days on which it is notified and booked, counted from the first. */
  notifiedOn: number;
  bookedOn: number;
  payments: TruePayment[];
  /** What the bank keeps of the entry, in cents, besides what it keeps of its payments. */
  charge: number;
}

/** How a bank that is right writes its messages. */
interface Style extends ChargeStyle {
  /** Of entries in statements: counted anew each day, never the same, or none. */
  statements: 'daily' | 'unique' | 'none';
  /** Of entries in notifications: those of the statements, or numbers of their own. */
  notifications: 'those of statements' | 'daily' | 'unique' | 'none';
  /** Whether transactions of a batch have numbers besides that of their entry. */
  hasTransactionNumbers: boolean;
  /** Whether statements list a batch as a sum. */
  sumsBatches: boolean;
  /** Whether a sum says of how many transactions. */
  countsBatches: boolean;
  /** Whether notifications list a batch as a sum, and statements its transactions. */
  notifiesSums: boolean;
  /** Whether statements name the creditor. */
  namesCreditor: boolean;
  hasBalances: boolean;
  /** Whether a day has two statements, the first of which begins on the evening before. */
  hasTwoOfDay: boolean;
  /** Whether statements come in two pages, and the balances of each: those of the whole, or its own. */
  hasPages: boolean;
  pageBalances: 'of the whole' | 'its own';
  /** Whether notifications give the time of a booking, in UTC: early in the morning it is that of the day before. */
  hasTimes: boolean;
  /** Whether it notifies of payments to a customer on the account that the customer has at the bank. */
  notifiesCustomers: boolean;
  /** Whether it notifies of a batch besides with its first transaction only. */
  notifiesParts: boolean;
  /** Whether it sends a statement over all days besides. */
  hasOverview: boolean;
}

/** A week of a bank that lists every booking once in the statement of its day, and notifies it once: what truly arrived, and its files day by day. */
export interface BankWeek {
  payments: TruePayment[];
  /** What its statements list, in cents. */
  booked: number;
  files: StatementSpec[];
  style: Style;
  /** Whether the book agrees with the bank whenever no statement is missing: nothing is due in an earlier statement than the one that lists it. */
  isPunctual: boolean;
}

const length = 4;
const payers = [
  { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' },
  { name: 'Ada Lovelace', iban: 'DE89370400440532013000' },
];

/** The account by its domestic number. */
const domesticAccount = el('Id', el('Othr', el('Id', masterIban.slice(-10))));

/** Draws a week by its seed. Few amounts, payers and texts, so that honest payments are alike, and batches come to what others pay alone. With `hasCharges` half of the banks keep charges. */
export function drawBankWeek(seed: number, customers: readonly string[], { hasCharges = true } = {}): BankWeek {
  const random = createRandom(seed).of('week');
  const sumsBatches = random.chance('sums', 0.5);
  const style: Style = {
    statements: random.pick('statements', ['daily', 'daily', 'unique', 'none'] as const),
    notifications: random.pick('notifications', ['those of statements', 'daily', 'unique', 'none'] as const),
    hasTransactionNumbers: random.chance('transactions', 0.4),
    sumsBatches,
    countsBatches: random.chance('counts', 0.6),
    notifiesSums: !sumsBatches && random.chance('notified sums', 0.3),
    namesCreditor: !sumsBatches && random.chance('creditor', 0.6),
    hasBalances: random.chance('balances', 0.5),
    hasTwoOfDay: random.chance('two of a day', 0.2),
    hasPages: random.chance('pages', 0.2),
    pageBalances: random.pick('page balances', ['of the whole', 'its own'] as const),
    hasTimes: random.chance('times', 0.3),
    notifiesCustomers: random.chance('customers', 0.2),
    notifiesParts: random.chance('parts', 0.2),
    hasOverview: random.chance('overview', 0.25),
    ...(hasCharges ? drawChargeStyle(random) : noCharges),
  };
  const single = Array.from({ length: random.integer('bookings', 1, 5) }, (_, index) =>
    drawBooking(random.of(`booking ${index}`), { id: `B${index}`, customers, style }),
  );
  const drawn = random.chance('standing', 0.3) ? [...single, ...single.slice(0, 1).flatMap(onNextDay)] : single;
  const bookings = haveOneNumber(drawn, style) ? drawn.map((booking) => Object.assign(booking, { bookedOn: booking.notifiedOn })) : drawn;
  // Of a number that a notification takes from the next day's statement nobody knows whose part it is.
  if (style.statements === 'daily' && style.notifications === 'those of statements') style.notifiesParts = false;
  // A statement that names no creditor leaves that to notifications, which then list transactions.
  if (style.notifiesSums) style.namesCreditor = true;
  const sent = [
    ...notifications(random.of('notified'), bookings, style),
    ...statements(bookings, style),
    ...(style.hasOverview ? [overview(bookings, style)] : []),
  ];
  const written = sent.flatMap((file) => (style.hasPages && file.message === undefined ? pagesOf(file, style) : [file]));
  const files = written.flatMap((file, index) => {
    const draw = random.of(`file ${index}`);
    const isAlias = file.account === undefined && draw.chance('alias', 0.2);
    const named = isAlias ? { ...file, account: domesticAccount } : file;
    return draw.chance('again', 0.15) ? [named, file] : [named];
  });
  const isPunctual = style.hasBalances && !style.hasTimes && bookings.every(({ notifiedOn, bookedOn }) => notifiedOn === bookedOn);
  return { payments: bookings.flatMap(({ payments }) => payments), booked: sumOf(bookings, style), files, style, isPunctual };
}

/** A statement in two pages, the second of which may be empty. */
function pagesOf(statement: StatementSpec, { pageBalances }: Style): StatementSpec[] {
  const { entries = [], opening, closing } = statement;
  const middle = Math.ceil(entries.length / 2);
  const booked = entries.slice(0, middle).reduce((sum, { amount }) => sum + Number(amount), Number(opening));
  const between = pageBalances === 'its own' && opening !== undefined ? booked.toFixed(2) : undefined;
  const page = (number: number, last: boolean, ofPage: StatementSpec): StatementSpec =>
    Object.assign({}, statement, { page: { number, last } }, ofPage);
  return [
    page(1, false, { entries: entries.slice(0, middle), ...(closing !== undefined && { closing: between ?? closing }) }),
    page(2, true, { entries: entries.slice(middle), ...(opening !== undefined && { opening: between ?? opening }) }),
  ];
}

function drawBooking(random: Random, { id, customers, style }: { id: string; customers: readonly string[]; style: Style }): Booking {
  const notifiedOn = random.integer('day', 0, length - 2);
  const size = random.pick('size', [1, 1, 1, 2, 3]);
  const payments = Array.from({ length: size }, (_, index) =>
    drawPayment(random.of(`payment ${index}`), { id: `${id}P${index}`, customers, style }),
  );
  return { id, notifiedOn, bookedOn: notifiedOn + (random.chance('late', 0.3) ? 1 : 0), ...drawChargeOfEntry(random, payments, style) };
}

/** The same payments on the next day, as a standing order makes them. */
function onNextDay({ id, notifiedOn, bookedOn, payments, charge }: Booking): Booking[] {
  if (bookedOn + 1 >= length) return [];
  const again = payments.map((payment): TruePayment => ({ ...payment, id: `${payment.id}again`, uetr: undefined }));
  return [{ id: `${id}again`, notifiedOn: notifiedOn + 1, bookedOn: bookedOn + 1, payments: again, charge }];
}

function drawPayment(random: Random, { id, customers, style }: { id: string; customers: readonly string[]; style: Style }): TruePayment {
  return {
    id,
    ...drawCents(random, [1_000, 1_000, 2_000, 3_000], style),
    iban: random.pick('iban', [...customers, ...customers, nobody]),
    payer: random.pick('payer', payers),
    endToEndId: random.pick('end to end', ['RENT', `INVOICE-${id}`, 'NOTPROVIDED']),
    uetr: random.chance('uetr', 0.3) ? uuidOf(random) : undefined,
  };
}

function dayOf(day: number): string {
  return `2026-11-${16 + day}`;
}

type NumberOf = (booking: Booking) => string | undefined;

/** The bank's numbers of entries, counted anew on each day that `placeOf` says. */
function dailyNumbers(bookings: readonly Booking[], placeOf: (booking: Booking) => number): NumberOf {
  const numbers = new Map<Booking, string>();
  for (const ofDay of Map.groupBy(bookings, placeOf).values())
    for (const [index, booking] of ofDay.entries()) numbers.set(booking, `${index + 1}`.padStart(6, '0'));
  return (booking) => numbers.get(booking);
}

/** Whether two bookings are notified under one number on a day: nobody could tell which of them a statement lists. */
function haveOneNumber(bookings: readonly Booking[], style: Style): boolean {
  if (style.statements !== 'daily' || style.notifications !== 'those of statements') return false;
  const numberOf = notificationNumbers(bookings, style);
  return new Set(bookings.map((booking) => `${booking.notifiedOn} ${numberOf(booking)}`)).size < bookings.length;
}

function prefixed(prefix: string, numberOf: NumberOf): NumberOf {
  return (booking) => `${prefix}${numberOf(booking)}`;
}

function statementNumbers(bookings: readonly Booking[], { statements: numbering }: Style): NumberOf {
  if (numbering === 'none') return () => undefined;
  return numbering === 'unique' ? ({ id }) => `S${id}` : dailyNumbers(bookings, ({ bookedOn }) => bookedOn);
}

function notificationNumbers(bookings: readonly Booking[], style: Style): NumberOf {
  switch (style.notifications) {
    case 'none':
      return () => undefined;
    case 'unique':
      return ({ id }) => `N${id}`;
    case 'daily':
      return prefixed(
        'N',
        dailyNumbers(bookings, ({ notifiedOn }) => notifiedOn),
      );
    case 'those of statements':
      return statementNumbers(bookings, style);
  }
}

interface Written {
  kind: Kind;
  number: string | undefined;
  day: number;
  isSum: boolean;
  namesCreditor: boolean;
  style: Style;
}

function entryOf(booking: Booking, { kind, number, day, isSum, namesCreditor, style }: Written): EntrySpec {
  const { payments } = booking;
  const { hasTransactionNumbers, countsBatches } = style;
  const isOfSeveral = isSum && payments.length > 1;
  const entry: EntrySpec = {
    ...entryAmounts(booking, { kind, style, isSum: isOfSeveral }),
    bookedOn: dayOf(day),
    ...(number !== undefined && { reference: number }),
  };
  if (isOfSeveral) return countsBatches ? { ...entry, batch: `${payments.length}` } : entry;
  const isNumbered = hasTransactionNumbers && number !== undefined && payments.length > 1;
  function transactionOf(payment: TruePayment, index: number): TransactionSpec {
    const { endToEndId, uetr, payer, iban, id } = payment;
    return {
      ...transactionAmounts(payment, { kind, style }),
      payer,
      ...(namesCreditor && { creditorIban: iban }),
      refs: {
        ...(isNumbered && { AcctSvcrRef: `${number}-${index + 1}` }),
        ...(endToEndId !== undefined && { EndToEndId: endToEndId }),
        ...(uetr !== undefined && { UETR: uetr }),
      },
      ustrd: [id],
    };
  }
  return { ...entry, transactions: payments.map(transactionOf) };
}

function notifications(random: Random, bookings: readonly Booking[], style: Style): StatementSpec[] {
  const numberOf = notificationNumbers(bookings, style);
  const parts = style.notifiesParts
    ? bookings.filter(({ payments }) => payments.length > 1).map((booking) => partOf(booking, numberOf, style))
    : [];
  const isByDay = random.chance('by day', 0.4);
  const groups = isByDay ? Map.groupBy(bookings, ({ notifiedOn }) => `${notifiedOn}`) : Map.groupBy(bookings, ({ id }) => id);
  const full = [...groups].map(([name, ofFile]): StatementSpec => ({
    id: `N${name}`,
    message: 'camt.054',
    entries: ofFile.map((booking) =>
      notifiedEntry(booking, {
        number: numberOf(booking),
        day: booking.notifiedOn,
        isSum: style.notifiesSums,
        namesCreditor: true,
        style,
      }),
    ),
  }));
  const ofCustomers = style.notifiesCustomers
    ? bookings.filter(isOfOneCustomer).map((booking) => ofCustomer(booking, numberOf, style))
    : [];
  return [...full, ...parts, ...ofCustomers];
}

function isOfOneCustomer({ payments: [first, ...others] }: Booking): boolean {
  return others.length === 0 && first?.iban !== nobody;
}

/** A notification on the account of the customer who was paid. */
function ofCustomer(booking: Booking, numberOf: NumberOf, style: Style): StatementSpec {
  const entry = notifiedEntry(booking, {
    number: numberOf(booking),
    day: booking.notifiedOn,
    isSum: false,
    namesCreditor: false,
    style,
  });
  return { id: `C${booking.id}`, message: 'camt.054', account: el('Id', el('IBAN', booking.payments[0]?.iban)), entries: [entry] };
}

function notifiedEntry(booking: Booking, written: Omit<Written, 'kind'>): EntrySpec {
  const entry = entryOf(booking, { ...written, kind: 'camt.054' });
  return written.style.hasTimes ? Object.assign(entry, { bookedAt: `${dayOf(written.day - 1)}T23:30:00.000Z` }) : entry;
}

function partOf(booking: Booking, numberOf: NumberOf, style: Style): StatementSpec {
  const { transactions = [], ...entry } = notifiedEntry(booking, {
    number: numberOf(booking),
    day: booking.notifiedOn,
    isSum: false,
    namesCreditor: true,
    style,
  });
  return {
    id: `P${booking.id}`,
    message: 'camt.054',
    entries: [{ ...entry, batch: `${booking.payments.length}`, transactions: transactions.slice(0, 1) }],
  };
}

function statedEntry(booking: Booking, numberOf: NumberOf, style: Style): EntrySpec {
  return entryOf(booking, {
    kind: 'camt.053',
    number: numberOf(booking),
    day: booking.bookedOn,
    isSum: style.sumsBatches,
    namesCreditor: style.namesCreditor,
    style,
  });
}

function statements(bookings: readonly Booking[], style: Style): StatementSpec[] {
  const numberOf = statementNumbers(bookings, style);
  let balance = 100_000;
  return Array.from({ length }, (_, day) => bookings.filter(({ bookedOn }) => bookedOn === day)).flatMap((ofDay, day) => {
    // Without balances nothing shows that both count.
    const middle = style.hasTwoOfDay && style.hasBalances ? Math.ceil(ofDay.length / 2) : ofDay.length;
    return [ofDay.slice(0, middle), ofDay.slice(middle)].flatMap((listed, part): StatementSpec[] => {
      if (listed.length === 0) return [];
      const opening = balance;
      balance += sumOf(listed, style);
      return [
        {
          id: part === 0 ? `S${day}` : `S${day}b`,
          day: dayOf(day),
          ...(middle < ofDay.length && { from: dayOf(day - 1 + part), to: dayOf(day) }),
          ...(style.hasBalances && { opening: (opening / 100).toFixed(2), closing: (balance / 100).toFixed(2) }),
          entries: listed.map((booking) => statedEntry(booking, numberOf, style)),
        },
      ];
    });
  });
}

function overview(bookings: readonly Booking[], style: Style): StatementSpec {
  const numberOf = statementNumbers(bookings, style);
  const closing = 100_000 + sumOf(bookings, style);
  return {
    id: 'ALL',
    day: dayOf(length - 1),
    from: dayOf(0),
    to: dayOf(length - 1),
    ...(style.hasBalances && { opening: '1000.00', closing: (closing / 100).toFixed(2) }),
    entries: bookings.toSorted((one, other) => one.bookedOn - other.bookedOn).map((booking) => statedEntry(booking, numberOf, style)),
  };
}

/** What statements list of bookings, in cents. */
function sumOf(bookings: readonly Booking[], style: Style): number {
  return bookings.reduce((sum, booking) => sum + bookedCents(booking, style), 0);
}
