import { expect, it } from 'vitest';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import {
  el,
  type EntrySpec,
  masterIban,
  type StatementSpec,
  statementXml,
  type TransactionSpec,
} from '../bank/iso20022/camt/statement-xml.ts';
import { payment, testRail } from './bank-rail.ts';

const rail = testRail();
const { iban } = rail.customer;
const settings = loadSettings({ DATABASE_URL: 'postgres://', BANK_ACCOUNT: masterIban });
const [day, next] = ['2026-11-20', '2026-11-21'];
const rent: Partial<TransactionSpec> = { refs: { EndToEndId: 'RENT' } };
const other = 'NL56AGDH9619008421';

const credit = (more: Partial<EntrySpec> = {}, transaction: Partial<TransactionSpec> = {}): EntrySpec => ({
  amount: '10.00',
  transactions: [payment(iban, '10.00', transaction)],
  ...more,
});
const notified = (id: string, ...entries: EntrySpec[]): StatementSpec => ({ id, message: 'camt.054', entries });
const stated = (id: string, [opening, closing]: [string, string], ...entries: EntrySpec[]): StatementSpec => ({
  id,
  opening,
  closing,
  day,
  entries,
});

interface Case {
  files: StatementSpec[];
  /** In cents: what customers get, and what waits. */
  issued: number;
  held?: number;
}

const batch = (...transactions: TransactionSpec[]): EntrySpec => ({ amount: '30.00', reference: 'E', batch: '2', transactions });
const parts = [payment(iban, '10.00', { refs: { EndToEndId: 'a' } }), payment(other, '20.00', { refs: { EndToEndId: 'b' } })] as const;
const five = { amount: '50.00', reference: 'E', batch: '5' };

const cases: Record<string, Case> = {
  "notified under a customer's IBAN as the account": {
    files: [
      { ...notified('N', credit({ reference: 'A' })), account: el('Id', el('IBAN', iban)) },
      stated('S', ['0.00', '10.00'], credit({ reference: 'A' })),
    ],
    issued: 1_000,
  },
  'notified under the domestic number of the account': {
    files: [
      { ...notified('N', credit({ reference: 'A' })), account: el('Id', el('Othr', el('Id', '8060476890'))) },
      stated('S', ['0.00', '10.00'], credit({ reference: 'A' })),
    ],
    issued: 1_000,
  },
  'notified on a day, and in the statement of the next': {
    files: [
      notified('N', credit({ reference: 'N1' }, rent)),
      { ...stated('S', ['0.00', '10.00'], credit({ reference: 'S1', bookedOn: next }, rent)), day: next },
    ],
    issued: 1_000,
  },
  'notified without a number or an EndToEndId, and stated': {
    files: [notified('N', credit()), stated('S', ['0.00', '10.00'], credit({ reference: 'S1' }))],
    issued: 1_000,
  },
  'on two days, under a number that restarts each day': {
    files: [
      stated('S', ['0.00', '10.00'], credit({ reference: '000001' })),
      { ...stated('T', ['10.00', '20.00'], credit({ reference: '000001', bookedOn: next })), day: next },
    ],
    issued: 2_000,
  },
  'two under one number, in the other order in the statement': {
    files: [
      notified('N', credit({ reference: 'X' }), credit({ reference: 'X', transactions: [payment(other, '10.00')] })),
      stated('S', ['0.00', '20.00'], credit({ reference: 'X', transactions: [payment(other, '10.00')] }), credit({ reference: 'X' })),
    ],
    issued: 1_000,
    held: 1_000,
  },
  'equal, on two pages of a statement': {
    files: [
      { ...stated('S', ['0.00', '10.00'], credit()), page: { number: 1, last: false } },
      { ...stated('S', ['10.00', '20.00'], credit()), page: { number: 2, last: true } },
    ],
    issued: 2_000,
  },
  'a collective credit that lists one of five': {
    files: [
      notified('N', { ...five, transactions: [payment(iban, '10.00')] }),
      stated('S', ['0.00', '50.00'], { ...five, transactions: [payment(iban, '10.00')] }),
    ],
    issued: 0,
    held: 5_000,
  },
  'notified by its time in UTC, and stated on the local day': {
    files: [
      notified('N', credit({ bookedAt: '2026-11-19T23:30:00.000Z' }, rent)),
      stated('S', ['0.00', '10.00'], credit({ reference: 'S1' }, rent)),
    ],
    issued: 1_000,
  },
  'transactions of an entry, in the other order in the second message': {
    files: [notified('N', batch(...parts)), stated('S', ['0.00', '30.00'], batch(...parts.toReversed()))],
    issued: 1_000,
    held: 2_000,
  },
  'two that differ in NtryRef, which the statement counts': {
    files: [
      notified('N', credit({ name: '1' })),
      notified('M', credit({ name: '2' })),
      stated('S', ['0.00', '20.00'], credit({ reference: 'S1' }), credit({ reference: 'S2' })),
    ],
    issued: 2_000,
  },
  'a batch, stated as a sum and then notified': {
    files: [stated('S', ['0.00', '30.00'], { amount: '30.00', reference: 'E', batch: '2' }), notified('N', batch(...parts))],
    issued: 1_000,
    held: 2_000,
  },
  'stated without a creditor, and then notified': {
    files: [
      stated('S', ['0.00', '10.00'], credit({ reference: 'A', transactions: [{ amount: '10.00' }] })),
      notified('N', credit({ reference: 'A' })),
    ],
    issued: 1_000,
  },
  'a collective credit whose charge stands at the entry': {
    files: [
      stated('S', ['0.00', '29.96'], {
        ...batch(payment(iban, '10.00'), payment(iban, '20.00')),
        amount: '29.96',
        charges: '0.04',
      }),
    ],
    issued: 3_000,
  },
};

const ways = ['with balances', 'without', 'in one file', 'in the other order'] as const;

/** The texts of files as one of {@link ways}. */
function written(files: readonly StatementSpec[], way: (typeof ways)[number]): string[] {
  const texts = files.map(statementXml);
  if (way === 'without') return texts.map((text) => text.replaceAll(/<Bal>.*?<\/Bal>/g, ''));
  if (way === 'in one file') return [el('Messages', texts.map((text) => text.replace(/^<\?.*\?>\s*/, '')).join(''))];
  return way === 'in the other order' ? texts.toReversed() : texts;
}

async function cents(state: 'matched' | 'unmatched'): Promise<number> {
  const credits = await rail.ledger.selectFrom('credits').where('state', '=', state).select('amount').execute();
  return credits.reduce((sum, { amount }) => sum + Number(amount ?? 0n), 0);
}

it.each(Object.keys(cases).flatMap((name) => ways.map((way) => [name, way] as const)))('money is there once: %s, %s', async (name, way) => {
  const { files, issued, held = 0 } = cases[name] as Case;
  for (const text of written(files, way)) await rail.import(text, { settings });
  expect([await cents('matched'), await cents('unmatched')]).toEqual([issued, held]);
  const differences = (await compareBookWithBank(rail.ledger)).filter(({ difference }) => difference !== 0n);
  expect(differences).toEqual([]);
});
