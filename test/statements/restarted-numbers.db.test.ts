import { describe, expect, it } from 'vitest';
import { relatedMoney } from '../../src/ledger/bank/related-reports.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { type EntrySpec, masterIban, type StatementSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { permutations } from './every-order.ts';
import { money, payment, testRail } from './bank-rail.ts';

const rail = testRail({ isShared: true });
const { iban } = rail.customer;
/** Of another customer, whom the ledger does not know: it waits. */
const other = 'NL56AGDH9619008421';

const single = (bookedOn: string): EntrySpec => ({
  amount: '30.00',
  reference: '000001',
  bookedOn,
  transactions: [payment(iban, '30.00')],
});
const parts = (bookedOn: string): EntrySpec => ({
  amount: '30.00',
  reference: '000001',
  bookedOn,
  transactions: [payment(iban, '10.00'), payment(other, '20.00')],
});
const sum = (bookedOn: string): EntrySpec => ({ amount: '30.00', reference: '000001', bookedOn, batch: '2' });
const alone = (bookedOn: string, amount: string): EntrySpec => ({
  amount,
  reference: '000777',
  bookedOn,
  transactions: [payment(iban, amount)],
});
const [before, day, next] = ['2026-11-23', '2026-11-24', '2026-11-25'];

const file = (id: string, message: 'camt.053' | 'camt.054', ...entries: EntrySpec[]): StatementSpec => ({ id, message, entries });

const cases: [string, StatementSpec[], string[]][] = [
  [
    'a payment, and a batch of its amount the next day',
    [
      file('N1', 'camt.054', single(before)),
      file('S1', 'camt.053', single(day)),
      file('N2', 'camt.054', parts(next)),
      file('S2', 'camt.053', sum(next)),
    ],
    ['1000 matched', '2000 unmatched', '3000 matched'],
  ],
  [
    'a payment that is not notified, and a batch',
    [file('S1', 'camt.053', single(day)), file('N2', 'camt.054', parts(next)), file('S2', 'camt.053', sum(next))],
    ['1000 matched', '2000 unmatched', '3000 matched'],
  ],
  [
    'a payment, and a batch that the statement lists in full',
    [
      file('N1', 'camt.054', single(day)),
      file('S1', 'camt.053', single(day)),
      file('N2', 'camt.054', sum(next)),
      file('S2', 'camt.053', parts(next)),
    ],
    ['1000 matched', '2000 unmatched', '3000 matched'],
  ],
  [
    'a sum without its transactions, and a batch of its amount the next day',
    [file('S1', 'camt.053', sum(day)), file('N2', 'camt.054', parts(next)), file('S2', 'camt.053', sum(next))],
    ['1000 matched', '2000 unmatched', '3000 unmatched'],
  ],
  [
    'lines without details, of which only the second is notified',
    [
      file('S1', 'camt.053', { amount: '10.00', reference: 'A', bookedOn: day }),
      file('N2', 'camt.054', { amount: '10.00', bookedOn: next, transactions: [payment(iban, '10.00')] }),
      file('S2', 'camt.053', { amount: '10.00', reference: 'B', bookedOn: next }),
    ],
    ['1000 matched', '1000 unmatched'],
  ],
  [
    'two batches of one amount, of which the first is not notified, and the second under another number',
    [
      file('S1', 'camt.053', { ...sum(day), reference: 'A' }),
      file('N2', 'camt.054', { ...parts(next), reference: 'N' }),
      file('S2', 'camt.053', { ...sum(next), reference: 'B' }),
    ],
    ['1000 matched', '2000 unmatched', '3000 unmatched'],
  ],
];

/** Of a bank that notifies of a batch and states its sum, each day the same. */
const batches = (number: string | undefined): StatementSpec[] =>
  [day, next].flatMap((bookedOn, index): StatementSpec[] => [
    file(`N${index}`, 'camt.054', {
      amount: '30.00',
      bookedOn,
      ...(number !== undefined && { reference: number }),
      transactions: [payment(iban, '10.00'), payment(other, '20.00')],
    }),
    { ...file(`S${index}`, 'camt.053', sum(bookedOn)), day: bookedOn, opening: `${index * 30}.00`, closing: `${index * 30 + 30}.00` },
  ]);

async function inOrder(files: readonly StatementSpec[]): Promise<{ end: string[]; differences: string[] }> {
  await rail.empty();
  const differences: string[] = [];
  for (const each of files) {
    await rail.import(each);
    for (const { difference } of await compareBookWithBank(rail.ledger))
      if (difference !== 0n) differences.push(`${difference} after ${each.id}`);
  }
  return { end: (await money(rail.ledger)).map((text) => text.replace(/^\S+ /, '')).toSorted(), differences };
}

describe('numbers that restart each day', () => {
  it.each(['000001', undefined])('are those of equal batches, which are two: notified under %s', async (number) => {
    const end = ['1000 matched', '1000 matched', '2000 unmatched', '2000 unmatched'];
    const files = batches(number);
    for (const order of permutations(files)) {
      const { end: reached, differences } = await inOrder(order);
      const ids = order.map(({ id }) => id);
      expect([ids, reached]).toEqual([ids, end]);
      // What a later statement lists is not known before.
      if (ids.indexOf('S0') < ids.indexOf('S1')) expect([ids, differences]).toEqual([ids, []]);
    }
  });

  it.each(cases)('%s: in every order of the files', async (_, files, expected) => {
    const ends: Record<string, string[]> = {};
    for (const order of permutations(files)) {
      await rail.empty();
      for (const each of order) await rail.import(each);
      ends[order.map(({ id }) => id).join(' ')] = (await money(rail.ledger)).map((text) => text.replace(/^\S+ /, '')).toSorted();
    }
    expect(ends).toEqual(Object.fromEntries(Object.keys(ends).map((order) => [order, expected])));
  });
});

it('what had the number weeks before is not read again', async () => {
  await rail.import(file('OLD', 'camt.054', alone('2026-09-01', '71.00')));
  await rail.import(file('NEAR', 'camt.054', alone(before, '72.00')));
  await rail.import(file('NEW', 'camt.054', alone(day, '73.00')));
  const { id } = await rail.ledger.selectFrom('bankDocuments').where('name', '=', 'NEW').select('id').executeTakeFirstOrThrow();
  const key = { account: masterIban, currency: 'eur', amount: 7_300n };
  const { keys } = await inTransaction(rail.ledger, (tx) => relatedMoney(tx, [id], [key]));
  expect(keys.map(({ amount }) => amount)).toEqual(expect.arrayContaining([7_200n, 7_300n]));
  expect(keys).toHaveLength(2);
});
