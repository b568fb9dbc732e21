import { createRandom, type Random } from '../../simulation/random.ts';
import {
  chargeOf,
  type Charged,
  type ChargeStyle,
  drawCents,
  drawChargeOfEntry,
  drawChargeStyle,
  entryAmounts,
  type Kind,
  transactionAmounts,
} from './charges.ts';
import { el, type EntrySpec, masterIban, type StatementSpec, type TransactionSpec } from '../../bank/iso20022/camt/statement-xml.ts';

/** A payment that truly arrived. */
export interface TruePayment extends Charged {
  id: string;
  /** Of a customer, or of nobody. */
  iban: string;
  payer: { name?: string; iban?: string };
  endToEndId: string | undefined;
  uetr: string | undefined;
}

/** A booking of the bank: one payment, or several in one sum. */
interface Booking {
  name: string;
  day: string;
  /** The day under which statements list it: that of its notification, or the next. */
  statedOn: string;
  payments: TruePayment[];
  /** What the bank keeps of the entry, in cents, besides what it keeps of its payments. */
  charge: number;
}

/** How a bank numbers and describes what it reports. */
export interface Style extends ChargeStyle {
  /** Whether notifications and statements have the same references, references of their own, or notifications none; `daily` where statements count anew each day. */
  numbering: 'shared' | 'own' | 'statements only' | 'daily';
  /** Whether transactions have references besides their entries'. */
  isNumbered: boolean;
  /** Whether statements name the creditor of a transaction. */
  namesCreditor: boolean;
  /** The number of each booking in the statement of its day. */
  daily: Map<string, string>;
}

/** A booking that the bank takes back as a whole, in one sum. */
export interface TrueReversal {
  /** The debit's reference in statements. */
  reference: string;
  payments: TruePayment[];
}

/** A day of a random bank: the true payments, what the bank takes back of them, and the files in which it reports them, in a random order and with repetitions. */
export interface BankDay {
  payments: TruePayment[];
  /** What it keeps of entries by themselves, in cents. */
  charges: number;
  reversals: TrueReversal[];
  files: StatementSpec[];
  style: Style;
}

type Shape = 'sum' | 'whole' | 'part' | 'singly';

const days = ['2026-11-20', '2026-11-21'];
const dayAfter: Readonly<Record<string, string>> = { '2026-11-20': '2026-11-21', '2026-11-21': '2026-11-22' };
const payers = [
  { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' },
  { name: 'Ada Lovelace', iban: 'DE89370400440532013000' },
];

/** An account that no customer has. */
export const nobody = 'NL56AGDH9619008421';

/** Draws a day by its seed. Every payment is reported in full, in a notification and in a statement, by the last file at the latest. */
export function drawBankDay(seed: number, customerIban: string): BankDay {
  const ibans = [customerIban, customerIban, nobody];
  const random = createRandom(seed).of('bank');
  const style: Style = {
    numbering: random.pick('numbering', ['shared', 'own', 'statements only', 'daily'] as const),
    isNumbered: random.chance('numbered', 0.6),
    daily: new Map(),
    namesCreditor: random.chance('creditor', 0.7),
    ...drawChargeStyle(random),
  };
  const bookings = Array.from({ length: random.integer('bookings', 1, 5) }, (_, index) =>
    drawBooking(random.of(`booking ${index}`), { name: `B${index}`, style, ibans }),
  );
  for (const ofDay of Map.groupBy(bookings, ({ statedOn }) => statedOn).values())
    for (const [index, booking] of ofDay.entries()) style.daily.set(booking.name, `${index + 1}`);
  const reversals = bookings
    .filter((booking) => chargeOf(booking) === 0 && random.chance(`taken back ${booking.name}`, 0.25))
    .map((booking) => drawReversal(random.of(`reversal ${booking.name}`), booking, style));
  const reports = bookings.flatMap((booking) => drawReports(random.of(`reports ${booking.name}`), booking, style));
  const debits = reversals.flatMap((reversal) => reversal.reports);
  const shuffled = [...shuffle(random, reports), ...shuffle(random.of('debits'), debits)];
  const files = groupIntoFiles(random.of('files'), shuffled);
  const payments = bookings.flatMap((booking) => booking.payments);
  const charges = bookings.reduce((sum, { charge }) => sum + charge, 0);
  return { payments, charges, reversals, files, style };
}

function drawBooking(random: Random, { name, style, ibans }: { name: string; style: Style; ibans: readonly string[] }): Booking {
  const day = random.pick('day', days);
  const size = random.pick('size', [1, 1, 1, 2, 3]);
  const payments = Array.from({ length: size }, (_, index) => drawPayment(random.of(`payment ${index}`), `${name}P${index}`, style, ibans));
  const statedOn = random.chance('late', 0.2) ? (dayAfter[day] ?? day) : day;
  return { name, day, statedOn, ...drawChargeOfEntry(random, payments, style) };
}

/** Few amounts, payers and texts, so that honest payments are alike. */
function drawPayment(random: Random, id: string, style: Style, ibans: readonly string[]): TruePayment {
  const { numbering } = style;
  const endToEndId = random.pick('end to end', ['RENT', 'RENT', `INVOICE-${id}`, 'NOTPROVIDED']);
  // A bank that numbers each kind of message on its own is understood by the UETR or the EndToEndId alone.
  const needsIdentity = numbering !== 'shared' && endToEndId === 'NOTPROVIDED';
  const hasUetr = needsIdentity || random.chance('uetr', 0.4);
  return {
    id,
    ...drawCents(random, [1_000, 1_000, 2_000], style),
    iban: random.pick('iban', ibans),
    payer: random.pick('payer', payers),
    endToEndId: random.chance('no end to end', 0.1) && (hasUetr || numbering === 'shared') ? undefined : endToEndId,
    uetr: hasUetr ? uuidOf(random) : undefined,
  };
}

/** A UUID that randomness decides. */
export function uuidOf(random: Random): string {
  const hex = hexOf(random, 32);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}

/** Hexadecimal digits that randomness decides. */
export function hexOf(random: Random, length: number): string {
  return Array.from({ length }, (_, index) => random.integer(`hex ${index}`, 0, 15).toString(16)).join('');
}

interface Report {
  kind: Kind;
  entry: EntrySpec;
}

function drawReports(random: Random, booking: Booking, style: Style): Report[] {
  const extras = Array.from({ length: random.integer('extras', 0, 4) }, (_, index) => {
    const draw = random.of(`extra ${index}`);
    const kind = draw.pick('kind', ['camt.053', 'camt.054'] as const);
    // Without numbers, the parts of an entry cannot be told apart, and no bank reports them alone.
    const hasParts = style.isNumbered && kind === 'camt.054' && booking.charge === 0;
    const shapes: Shape[] = hasParts ? ['sum', 'whole', 'part', 'singly'] : ['sum', 'whole'];
    return entriesOf(draw, booking, { kind, style, shape: draw.pick('shape', shapes), isExtra: true });
  });
  const whole = (['camt.053', 'camt.054'] as const).map((kind) => entriesOf(random, booking, { kind, style, shape: 'whole' }));
  return [...extras, ...whole].flat();
}

/** A debit that takes a booking back, and the statements that list it: once or twice, with its entry, a UETR, an EndToEndId or nothing that says which. */
function drawReversal(random: Random, booking: Booking, style: Style): TrueReversal & { reports: Report[] } {
  const { name, payments, statedOn: day } = booking;
  const uetr = payments.find((payment) => payment.uetr !== undefined)?.uetr;
  const endToEndId = payments.length === 1 ? payments[0]?.endToEndId : undefined;
  const refs = {
    ...(uetr !== undefined && random.chance('uetr', 0.5) && { UETR: uetr }),
    ...(endToEndId !== undefined && random.chance('end to end', 0.5) && { EndToEndId: endToEndId }),
  };
  const reference = random.chance('entry', 0.4) ? (numberOf('camt.053', style)(name) ?? name) : `D${name}`;
  // Nothing was kept of it.
  const amounts = entryAmounts(booking, { kind: 'camt.053', style, isSum: true });
  const entry: EntrySpec = {
    ...amounts,
    bookedOn: day,
    reference,
    direction: 'DBIT',
    reversal: true,
    ...(Object.keys(refs).length > 0 && { transactions: [{ ...amounts, refs, ustrd: [`D${name}`] }] }),
  };
  const report: Report = { kind: 'camt.053', entry };
  return { reference, payments, reports: random.chance('twice', 0.3) ? [report, report] : [report] };
}

interface Reported {
  kind: Kind;
  style: Style;
  shape: Shape;
  /** Whether the bank reports the booking in full besides. */
  isExtra?: boolean;
}

function entriesOf(random: Random, booking: Booking, { kind, style, shape, isExtra = false }: Reported): Report[] {
  const { payments, charge } = booking;
  const entry = (listed: readonly TruePayment[], more: Partial<EntrySpec>, isSum = false): Report => ({
    kind,
    entry: {
      ...entryAmounts({ payments: listed, charge }, { kind, style, isSum }),
      bookedOn: kind === 'camt.053' ? booking.statedOn : booking.day,
      ...more,
    },
  });
  const number = numberOf(kind, style);
  const reference = number(booking.name);
  const named = reference === undefined ? {} : { reference };
  // The last notification always names it: else nobody could know whose the money is.
  const namesCreditor = kind === 'camt.054' ? !isExtra || random.chance('creditor', 0.8) : style.namesCreditor;
  const transactions = (listed: readonly TruePayment[], isAlone = false) =>
    listed.map((payment) => transactionOf(payment, { namesCreditor, style, kind, number: isAlone ? undefined : number(payment.id) }));
  if (shape === 'sum' && reference !== undefined) return [entry(payments, { ...named, batch: `${payments.length}` }, true)];
  if (shape === 'singly')
    return payments.map((payment) => {
      const own = number(payment.id);
      return entry([payment], { ...(own !== undefined && { reference: own }), transactions: transactions([payment], true) });
    });
  const part = shape === 'part' ? payments.filter(({ id }) => random.chance(`part ${id}`, 0.6)) : payments;
  const listed = part.length === 0 ? payments : part;
  // A bank may list them in another order each time.
  const details = transactions(listed);
  return [entry(listed, { ...named, transactions: random.chance(`order ${kind}`, 0.3) ? details.toReversed() : details })];
}

/** The bank's numbers in a kind of message. */
function numberOf(kind: Kind, { numbering, daily }: Style): (name: string) => string | undefined {
  if (numbering === 'daily' && kind === 'camt.053') return (name) => daily.get(name);
  if (numbering === 'shared') return (name) => name;
  if (kind === 'camt.053') return (name) => `S${name}`;
  return numbering === 'own' ? (name) => `N${name}` : () => undefined;
}

function transactionOf(
  payment: TruePayment,
  { namesCreditor, style, kind, number }: { namesCreditor: boolean; style: Style; kind: Kind; number: string | undefined },
): TransactionSpec {
  const { endToEndId, uetr, payer, iban } = payment;
  return {
    ...transactionAmounts(payment, { kind, style }),
    payer,
    ...(namesCreditor && { creditorIban: iban }),
    refs: {
      ...(number !== undefined && style.isNumbered && { AcctSvcrRef: number }),
      ...(endToEndId !== undefined && { EndToEndId: endToEndId }),
      ...(uetr !== undefined && { UETR: uetr }),
    },
    ustrd: [payment.id],
  };
}

function shuffle<T>(random: Random, values: readonly T[]): T[] {
  const keyed = values.map((value, index) => ({ value, key: random.number(`place ${index}`) }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ value }) => value);
}

/** Neighbours of one kind come in one file at times. No statement lists an entry twice. */
function groupIntoFiles(random: Random, reports: readonly Report[]): StatementSpec[] {
  const files: { kind: Kind; entries: EntrySpec[] }[] = [];
  for (const [index, { kind, entry }] of reports.entries()) {
    const last = files.at(-1);
    const isNew = last?.kind !== kind || random.chance(`new ${index}`, 0.5) || last.entries.some((other) => overlaps(other, entry));
    if (isNew || last === undefined) files.push({ kind, entries: [entry] });
    else last.entries.push(entry);
  }
  return files.map(({ kind, entries }, index): StatementSpec => {
    const isWrittenOtherwise = random.chance(`account ${index}`, 0.2);
    const file: StatementSpec = { id: `F${index}`, message: kind, entries };
    return isWrittenOtherwise ? Object.assign(file, { account: domesticAccount }) : file;
  });
}

/** The account by its domestic number. */
const domesticAccount = el('Id', el('Othr', el('Id', masterIban.slice(-10))));

function overlaps(entry: EntrySpec, other: EntrySpec): boolean {
  const own = new Set(textsOf(entry));
  return (entry.reference !== undefined && entry.reference === other.reference) || textsOf(other).some((id) => own.has(id));
}

function textsOf({ transactions = [] }: EntrySpec): string[] {
  return transactions.flatMap(({ ustrd = [] }) => ustrd);
}
