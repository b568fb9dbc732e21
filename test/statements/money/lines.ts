import { minorUnits } from '../../../src/platform/money.ts';
import { comparableText } from '../../../src/statements/money/lines-of-reports.ts';
import { decideMoney } from '../../../src/statements/money/decide-money.ts';
import type { Money } from '../../../src/statements/money/money.ts';
import { type ReportDocument, type ReportedLine, statementKind } from '../../../src/ledger/bank/reported-line.ts';

/** A line as a test describes it: what differs from a payment of 10.00 of one payer to one customer. */
export interface LineSpec {
  amount?: number;
  day?: string;
  number?: string;
  to?: string | null;
  payer?: string | null;
  name?: string;
  endToEndId?: string;
  uetr?: string;
  ntryRef?: string;
  /** The entry that it stands in with others; a line is an entry of its own without. */
  entry?: { id: string; number?: string; total: number };
  /** Of an entry as a whole: how many transactions it has. */
  batch?: number;
}

export interface DocumentSpec {
  kind?: 'camt.053' | 'camt.054' | 'camt.052';
  name?: string;
  createdAt?: string;
  page?: number;
  from?: string;
  closed?: string;
  opening?: number;
  closing?: number;
  /** The balances of the statements of its day. */
  ofDay?: [number, number][];
  lines: LineSpec[];
}

let documents = 0;

function cents(amount: number | undefined): string | null {
  return amount === undefined ? null : amount.toString();
}

/** Reads a document as the importer does. */
export function readDocument({ kind = 'camt.053', lines, ...spec }: DocumentSpec): ReportedLine[] {
  documents += 1;
  const document: ReportDocument = {
    id: `document ${documents}`,
    kind: kind === 'camt.053' ? statementKind : kind,
    name: spec.name ?? `D${documents}`,
    createdAt: spec.createdAt ?? `time ${documents}`,
    page: spec.page ?? null,
    fromOn: spec.from ?? null,
    closedOn: spec.closed ?? null,
    balances: { eur: { opening: cents(spec.opening), closing: cents(spec.closing) } },
    balancesOfDay: (spec.ofDay ?? []).map(([opening, closing]) => ({ eur: { opening: cents(opening), closing: cents(closing) } })),
    statements: [],
  };
  return lines.map((line, index): ReportedLine => {
    const { amount = 1_000, day = '2026-11-20', number, to = 'ann', payer = 'payer', batch, entry } = line;
    const count = entry === undefined ? (batch ?? 1) : lines.filter((other) => other.entry?.id === entry.id).length;
    return {
      id: `${document.id} ${index}`,
      document,
      entry: {
        id: `${document.id} ${entry?.id ?? index}`,
        number: (entry === undefined ? number : entry.number) ?? null,
        name: line.ntryRef ?? null,
        total: minorUnits(BigInt(entry?.total ?? amount)),
        count,
        charges: null,
        isComplete:
          entry === undefined ||
          entry.total === lines.filter((other) => other.entry?.id === entry.id).reduce((all, other) => all + (other.amount ?? 1_000), 0),
      },
      place: { entry: index + 1, line: index + 1 },
      account: 'account',
      isDebit: false,
      reference: `${document.id} ${index}`,
      entryReference: null,
      payment: null,
      file: null,
      bookedBy: null,
      reason: null,
      unmatched: null,
      charges: null,
      number: number ?? null,
      content: JSON.stringify(line),
      currency: 'eur',
      amount: minorUnits(BigInt(amount)),
      bookedOn: day,
      iban: batch === undefined ? to : null,
      payerAccount: batch === undefined ? payer : null,
      payerName: line.name === undefined ? null : comparableText(line.name),
      endToEndId: line.endToEndId === undefined ? null : comparableText(line.endToEndId),
      uetr: line.uetr ?? null,
      isSum: batch !== undefined,
      isBatch: (batch ?? 1) > 1,
      isDoubtful: (batch ?? 1) > 1,
      isReturn: false,
      credit: null,
    };
  });
}

/** What a ledger has after files: what is issued to whom, and what waits for which reason. */
export interface Outcome {
  issued: string[];
  held: string[];
}

/** Imports documents one after the other, as a ledger does that keeps what it has decided. */
export function importDocuments(files: readonly ReportedLine[][]): Outcome {
  const lines: ReportedLine[] = [];
  let credits = 0;
  let held: string[] = [];
  for (const file of files) {
    lines.push(...file.map((line) => Object.assign({}, line)));
    held = [];
    const all = decideMoney(lines);
    for (const money of all) {
      const { hold, within, left, credit } = money;
      const best = lines.find(({ id }) => id === money.best.id) as ReportedLine;
      // A credit stays with the money that it was given to.
      if (credit !== undefined) {
        forget(lines, credit.reference);
        best.credit = Object.assign({}, credit);
      }
      for (const other of money.others) forget(lines, other.reference);
      if (within !== undefined || left === null) {
        if (money.credit?.state === 'open') forget(lines, money.credit.reference);
        continue;
      }
      const isOpen = hold !== undefined || best.isDoubtful || best.iban === null;
      if (isOpen && money.credit?.state !== 'spent') held.push(`${left ?? best.amount} ${hold?.reason ?? 'unclear'}`);
      if (money.credit === undefined) {
        credits += 1;
        const [state, became] = isOpen ? (['open', 'unmatched'] as const) : (['spent', 'matched'] as const);
        const credit = {
          reference: `C${credits}`,
          state,
          became,
          amount: best.amount,
          iban: best.iban,
          reason: null,
          entryReference: null,
        };
        best.credit = { ...credit, isFirst: true, isPinned: false, isAwaited: null, isNotBooked: false };
      } else if (money.credit.state === 'open' && !isOpen) {
        best.credit = { ...money.credit, state: 'spent', became: 'matched', iban: best.iban };
      }
      if (best.credit?.state === 'spent' && !paid.has(best.credit.reference)) paid.set(best.credit.reference, best);
    }
  }
  const spent = lines.flatMap(({ credit }) => (credit?.isFirst === true && credit.state === 'spent' ? credit.reference : []));
  const issued = spent.map((reference) => describe(paid.get(reference) as ReportedLine)).toSorted();
  paid.clear();
  return { issued, held: held.toSorted() };
}

/** The line by which each credit became an order. */
const paid = new Map<string, ReportedLine>();

function describe({ amount, iban }: Money['best']): string {
  return `${amount} to ${iban}`;
}

function forget(lines: readonly ReportedLine[], reference: string): void {
  for (const line of lines) if (line.credit?.reference === reference) line.credit = null;
}
