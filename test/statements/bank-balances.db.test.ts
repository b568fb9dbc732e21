import { describe, expect, it } from 'vitest';
import { explainDebit } from '../../src/ledger/bank/debits/explain-debit.ts';
import { matchAgain } from '../../src/ledger/bank/unmatched/match-unmatched.ts';
import { repeatCredit } from '../../src/ledger/bank/unmatched/repeat-credit.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { readBalances } from '../../src/ledger/book/balances.ts';
import { acceptGap, listStatements, openGaps } from '../../src/ledger/bank/statements/statement-queries.ts';
import { bankProblems } from '../../src/problems/bank-problems.ts';
import { rollForward } from '../../src/ledger/book/roll-forward.ts';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { compareBookWithStates } from '../../src/reconciliation/book-and-states.ts';
import { type EntrySpec, masterIban, type StatementSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';
import { creditOptions, payment } from './bank-rail.ts';
import { permutations } from './every-order.ts';
import { bookings, operatorsDecision } from './bookings.ts';
import { sendPayouts } from './payouts-sent.ts';

const at = testPayments();
const { book, explain } = bookings(at);
const report = ({ entries = [], ...more }: StatementSpec) => book(entries, more);
const credit = (amount: string, reference: string, bookedOn: string, endToEndId = 'NOTPROVIDED'): EntrySpec => ({
  amount,
  reference,
  bookedOn,
  transactions: [payment(at.customer.iban, amount, { refs: { EndToEndId: endToEndId } })],
});
/** A credit of nobody. */
const arrived = (amount: string, reference: string, bookedOn: string): EntrySpec => ({ amount, reference, bookedOn });
const debit = (amount: string, reference: string, bookedOn: string, endToEndId?: string): EntrySpec => ({
  amount,
  direction: 'DBIT',
  reference,
  bookedOn,
  ...(endToEndId !== undefined && { transactions: [{ amount, refs: { EndToEndId: endToEndId } }] }),
});
const compare = async () => {
  const results = await compareBookWithBank(at.ledger);
  return results.find(({ account }) => account === `assets:bank:${masterIban}`);
};
/** The statements before which another seems to be missing. */
const gaps = async () => {
  const rows = await at.ledger.selectFrom('bankStatements').orderBy('closedOn').select(['number', 'gap']).execute();
  return rows.filter(({ gap }) => gap !== null).map(({ number }) => number);
};
/** The debits that nobody has explained. */
const waiting = () => at.ledger.selectFrom('bankDebits').where('state', '=', 'unexplained').select('reference').execute();
/** An amount as a file has it. */
const money = (amount: bigint) =>
  `${amount < 0n ? '-' : ''}${absolute(amount) / 100n}.${(absolute(amount) % 100n).toString().padStart(2, '0')}`;
const absolute = (amount: bigint) => (amount < 0n ? -amount : amount);
const openings = async () => (await readBalances(at.ledger)).find(({ account }) => account === 'equity:openings')?.amount;

describe('the bank’s closing balance', () => {
  it('is what the book has, from the opening of the first statement on', async () => {
    await report({ id: 'A1', day: '2026-11-02', opening: '100.00', closing: '110.00', entries: [credit('10.00', 'C1', '2026-11-02')] });
    expect(await openings()).toBe(-10_000n);
    expect(await compare()).toMatchObject({ expected: 11_000n, actual: 11_000n, items: [], difference: 0n });
    await rollForward(at.ledger);
    await report({ id: 'A2', day: '2026-11-03', opening: '110.00', closing: '-5.00', entries: [debit('115.00', 'D1', '2026-11-03')] });
    expect(await compare()).toMatchObject({ expected: -500n, actual: -500n, difference: 0n });
  });

  it('that misses 500,000.00 which nobody has reported is a difference', async () => {
    await report({
      id: 'A1',
      day: '2026-11-02',
      opening: '0.00',
      closing: '500001.00',
      entries: [credit('500001.00', 'C1', '2026-11-02')],
    });
    await report({ id: 'A2', day: '2026-11-03', opening: '1.00', closing: '1.00' });
    expect(await compare()).toMatchObject({ expected: 50_000_100n, actual: 100n, difference: -50_000_000n });
  });

  it('is not explained by what neither the statement of its day nor the next one lists: it may be counted twice', async () => {
    await report({ id: 'A1', day: '2026-11-02', opening: '0.00', closing: '0.00' });
    await report({ id: 'N', message: 'camt.054', entries: [credit('40.00', 'N1', '2026-11-03', 'RENT')] });
    await report({ id: 'A2', day: '2026-11-03', opening: '0.00', closing: '40.00', entries: [credit('40.00', 'S1', '2026-11-03', 'GAS')] });
    expect(await compare()).toMatchObject({ expected: 8_000n, actual: 4_000n, difference: 0n });
    await report({ id: 'A3', day: '2026-11-04', opening: '40.00', closing: '40.00' });
    expect(await compare()).toMatchObject({ items: [], difference: -4_000n });
  });

  it('is not opened with less than what was booked before the first statement', async () => {
    await report({ id: 'N', message: 'camt.054', entries: [credit('77.00', 'N1', '2026-11-01', 'RENT')] });
    await report({ id: 'A1', day: '2026-11-02', opening: '0.00', closing: '77.00', entries: [credit('77.00', 'S1', '2026-11-02', 'GAS')] });
    expect(await openings()).toBeUndefined();
    await report({ id: 'A2', day: '2026-11-03', opening: '77.00', closing: '77.00' });
    expect(await compare()).toMatchObject({ difference: -7_700n });
  });

  it('of consecutive days with one id are those of two statements', async () => {
    await report({
      id: 'S',
      day: '2026-11-02',
      sequence: 1,
      opening: '0.00',
      closing: '50.00',
      entries: [credit('50.00', 'C1', '2026-11-02')],
    });
    await report({
      id: 'S',
      day: '2026-11-03',
      sequence: 2,
      opening: '50.00',
      closing: '60.00',
      entries: [credit('10.00', 'C2', '2026-11-03')],
    });
    expect(await compare()).toMatchObject({ expected: 6_000n, actual: 6_000n, difference: 0n });
    expect(await gaps()).toEqual([]);
  });

  it('of a day far ahead is refused: no other would be newer', async () => {
    await expect(report({ id: 'F', day: '2062-01-01', opening: '0.00', closing: '0.00' })).rejects.toThrow('closes on 2062-01-01');
  });

  it('is explained by what is known from notifications only, and by what the book has on a later day', async () => {
    await report({ id: 'A1', day: '2026-11-02', opening: '0.00', closing: '0.00' });
    await report({ id: 'N1', message: 'camt.054', entries: [credit('3.00', 'N1', '2026-11-03'), credit('4.00', 'N2', '2026-11-04')] });
    const entries = [credit('4.00', 'N2', '2026-11-03'), credit('5.00', 'C1', '2026-11-04')];
    await report({ id: 'A2', day: '2026-11-03', opening: '0.00', closing: '9.00', entries });
    const items = [
      { text: `credit ${masterIban}:N1 of 2026-11-03 is in no statement yet`, amount: -300n },
      { text: `credit ${masterIban}:N2 of 2026-11-04 is in a statement of an earlier day`, amount: 400n },
      { text: `credit ${masterIban}:C1 of 2026-11-04 is in a statement of an earlier day`, amount: 500n },
    ];
    const result = await compare();
    expect(result).toMatchObject({ expected: 300n, actual: 900n, difference: 0n });
    expect(result?.items).toEqual(expect.arrayContaining(items));
    await report({ id: 'A3', day: '2026-11-04', opening: '9.00', closing: '12.00', entries: [credit('3.00', 'N1', '2026-11-03')] });
    expect(await compare()).toMatchObject({ items: [], difference: 0n });
  });

  it('is explained by what was notified, once an operator says of a sum in the statement that it is that', async () => {
    const day = '2026-11-03';
    await report({ id: 'A1', day: '2026-11-02', opening: '100.00', closing: '100.00' });
    const singles = [
      credit('10.00', 'N1', day, 'ONE'),
      credit('20.00', 'N2', day, 'TWO'),
      debit('1.00', 'N3', day),
      debit('2.00', 'N4', day),
    ];
    await report({ id: 'N', message: 'camt.054', entries: singles });
    const sums = [
      { amount: '30.00', reference: 'IN', bookedOn: day, batch: '2' },
      { ...debit('3.00', 'OUT', day), batch: '2' },
    ];
    await report({ id: 'A2', day, opening: '100.00', closing: '127.00', entries: sums });
    await repeatCredit(at.ledger, `${masterIban}:IN`, [`${masterIban}:N1`, `${masterIban}:N2`]);
    await explain('OUT', { as: 'repeat-of', debits: [`${masterIban}:N3`, `${masterIban}:N4`] });
    expect(await compare()).toMatchObject({ expected: 12_700n, actual: 12_700n, items: [], difference: 0n });
    // The bank may state the day again.
    await report({ id: 'again', day, opening: '100.00', closing: '127.00', entries: sums });
    expect(await compare()).toMatchObject({ expected: 12_700n, actual: 12_700n, items: [], difference: 0n });
    // Nothing that is reported later makes them awaited again, and they are not missing after five days.
    await report({ id: 'M', message: 'camt.054', entries: [credit('10.00', 'N5', '2026-11-04', 'FIVE')] });
    await report({
      id: 'A3',
      day: '2026-11-20',
      opening: '127.00',
      closing: '137.00',
      entries: [credit('10.00', 'N5', '2026-11-04', 'FIVE')],
    });
    expect((await bankProblems(at.ledger)).map(({ kind }) => kind)).not.toContain('credits_awaited');
    // The sum was other money after all, and the notified is still awaited.
    await matchAgain(
      at.ledger,
      { reference: `${masterIban}:IN`, iban: at.customer.iban, reason: 'the bank says so' },
      { ...creditOptions, source: 'operator' },
    );
    expect(await compare()).toMatchObject({ expected: 16_700n, actual: 13_700n, difference: -3_000n });
    expect((await bankProblems(at.ledger)).map(({ kind }) => kind)).toContain('credits_awaited');
  });

  it('is explained by a debit that is stated in parts, while they are explained and when all are', async () => {
    const day = '2026-11-03';
    await report({ id: 'A1', day: '2026-11-02', opening: '100.00', closing: '100.00' });
    await report({ id: 'N', message: 'camt.054', entries: [debit('3.00', 'ALL', day)] });
    await report({ id: 'A2', day, opening: '100.00', closing: '97.00', entries: [debit('1.00', 'P1', day), debit('2.00', 'P2', day)] });
    for (const part of ['P1', 'P2']) {
      await explain(part, { as: 'repeat-of', debits: [`${masterIban}:ALL`] });
      expect(await compare()).toMatchObject({ actual: 9_700n, difference: 0n });
    }
    expect(await compare()).toMatchObject({ items: [] });
  });

  it.each(['a payment', 'a file', 'a file, one by one'])(
    'is explained by %s that was notified without the fee of the statement',
    async (kind) => {
      const day = '2026-11-03';
      const { payouts, messageId } = await sendPayouts(at, kind === 'a payment' ? 1 : 2);
      const file = (amount: string, reference: string) => ({ ...debit(amount, reference, day), batch: '2', batchOf: messageId });
      const single = (amount: string, reference: string, index = 0) => debit(amount, reference, day, payouts[index]?.endToEndId);
      const known = kind === 'a file' ? [file('25.00', 'N0')] : payouts.map((_, index) => single('12.50', `N${index}`, index));
      await report({ id: 'A1', day: '2026-11-02', opening: '100.00', closing: '100.00' });
      await report({ id: 'N', message: 'camt.054', entries: known });
      const [stated, closing] = kind === 'a payment' ? [single('13.00', 'S'), '87.00'] : [file('26.00', 'S'), '74.00'];
      const { alerts } = await report({ id: 'A2', day, opening: '100.00', closing, entries: [stated] });
      const debits = known.map(({ reference }) => `${masterIban}:${reference}`);
      const said = `repeat-of:${debits.join(',')},fee`;
      expect(alerts[0]?.reason).toContain(`explain it by \`--as ${said}\``);
      const ids = payouts.map(({ id }) => id);
      await expect(explain('S', { as: 'payment', payments: ids, isWithFee: true })).rejects.toThrow(said);
      await expect(explain('S', { as: 'repeat-of', debits })).rejects.toThrow('and the debit is over');
      await explain('S', { as: 'repeat-of', debits, isWithFee: true });
      expect(await compare()).toMatchObject({ items: [], difference: 0n });
      const fees = (await readBalances(at.ledger)).find(({ account }) => account === 'equity:operator');
      expect(fees?.amount).toBe(kind === 'a payment' ? 50n : 100n);
    },
  );

  it.each([
    ['in a statement', 'camt.053', '25.00', '75.00'],
    ['in a statement, with the fee', 'camt.053', '26.00', '74.00'],
    ['in a notification', 'camt.054', '25.00', '75.00'],
  ] as const)(
    'is explained by a sum %s that an operator has said to be payments, and by each of them',
    async (_, message, amount, closing) => {
      const day = '2026-11-03';
      const { payouts } = await sendPayouts(at, 2);
      const sum = { id: 'SUM', message, entries: [{ ...debit(amount, 'SUM', day), batch: '2' }] };
      const single = (payout: (typeof payouts)[number] | undefined, reference: string) =>
        debit('12.50', reference, day, payout?.endToEndId);
      await report({ id: 'A1', day: '2026-11-02', opening: '100.00', closing: '100.00' });
      const balances = { day, opening: '100.00', closing };
      await report({ ...sum, ...(message === 'camt.053' && balances) });
      await explain('SUM', { as: 'payment', payments: payouts.map(({ id }) => id), isWithFee: amount === '26.00' });
      const singles = payouts.map((payout, index) => single(payout, `P${index}`));
      const other =
        message === 'camt.053'
          ? singles.map((entry, index) => ({ id: `N${index}`, message: 'camt.054' as const, entries: [entry] }))
          : [{ id: 'A2', entries: singles, ...balances }];
      for (const each of [...other, ...other]) expect(await report(each)).toMatchObject({ unexplained: 0, settled: 0, alerts: [] });
      expect(await compare()).toMatchObject({ items: [], difference: 0n });
      // A statement that lists one of them once more lists another booking.
      const again = await report({
        id: 'A3',
        day: '2026-11-04',
        opening: closing,
        closing: money(BigInt(closing.replace('.', '')) - 1_250n),
        entries: [{ ...single(payouts[0], 'AGAIN'), bookedOn: '2026-11-04' }],
      });
      expect(again.alerts[0]?.reason).toContain('the bank has booked this payment before');
      expect(await compare()).toMatchObject({ items: [], difference: 0n });
    },
  );

  it.each([
    ['the first', 0, 1],
    ['the second', 1, 0],
  ])(
    'is explained by both of two notified debits, of which an operator took %s for a repeat, once statements list both',
    async (_, repeat, counting) => {
      const day = '2026-11-03';
      const fee = (reference: string) => debit('5.00', reference, day);
      await report({ id: 'A1', day: '2026-11-02', opening: '100.00', closing: '100.00' });
      await report({ id: 'N', message: 'camt.054', entries: [fee('N0'), fee('N1')] });
      await explain(`N${repeat}`, { as: 'repeat-of', debits: [`${masterIban}:N${counting}`] });
      for (const id of ['A2', 'again']) {
        await report({ id, day, opening: '100.00', closing: '95.00', entries: [fee('S0')] });
        expect(await waiting()).toHaveLength(1);
        expect(await compare()).toMatchObject({ items: [], difference: 0n });
      }
      await report({ id: 'A3', day, opening: '95.00', closing: '90.00', entries: [fee('S1')] });
      expect(await waiting()).toHaveLength(2);
      expect(await compare()).toMatchObject({ items: [], difference: 0n });
    },
  );

  it.each([
    ['the sum', '3.00', '97.00'],
    ['the sum and a fee', '3.50', '96.50'],
  ])(
    'is explained by debits of which an operator has said that a notified debit is %s, once a statement lists that',
    async (_, amount, closing) => {
      const day = '2026-11-03';
      await report({ id: 'A1', day: '2026-11-02', opening: '100.00', closing: '100.00' });
      await report({ id: 'N', message: 'camt.054', entries: [debit('1.00', 'N1', day), debit('2.00', 'N2', day)] });
      await report({ id: 'M', message: 'camt.054', entries: [debit(amount, 'SUM', day)] });
      await explain('SUM', { as: 'repeat-of', debits: ['N1', 'N2'].map((name) => `${masterIban}:${name}`), isWithFee: amount === '3.50' });
      await report({ id: 'A2', day, opening: '100.00', closing, entries: [debit(amount, 'S', day)] });
      expect(await compare()).toMatchObject({ items: [], difference: 0n });
      await report({ id: 'A3', day: '2026-11-10', opening: closing, closing });
      expect(await compare()).toMatchObject({ items: [], difference: 0n });
    },
  );

  it('is explained by debits that could not be read, once an operator says what they were', async () => {
    const day = '2026-11-03';
    const { payouts } = await sendPayouts(at, 1);
    await report({ id: 'A1', day: '2026-11-02', opening: '100.00', closing: '100.00' });
    await report({ id: 'A2', day, opening: '100.00', closing: '81.50', entries: [debit('6,00', 'U1', day), debit('12,50', 'U2', day)] });
    await explainDebit(at.ledger, `${masterIban}:U1`, { explanation: { as: 'fee' }, amount: minorUnits(600n), ...operatorsDecision });
    const paid = { as: 'payment', payments: [payouts[0]?.id ?? ''], isWithFee: false } as const;
    await explainDebit(at.ledger, `${masterIban}:U2`, { explanation: paid, amount: minorUnits(1_250n), ...operatorsDecision });
    expect(await compare()).toMatchObject({ expected: 8_150n, actual: 8_150n, items: [], difference: 0n });
  });

  it('needs no order of the files, and a statement may come in pages or again', async () => {
    const second = { id: 'A2', day: '2026-11-03', opening: '10.00', closing: '17.00', entries: [credit('7.00', 'C2', '2026-11-03')] };
    await report(second);
    await report({ ...second, summary: '' });
    expect(await openings()).toBe(-1_000n);
    const page = { id: 'A1', day: '2026-11-02', opening: '8.00', entries: [credit('2.00', 'C1', '2026-11-02')] };
    await report({ ...page, closing: '10.00', page: { number: 1, last: false } });
    await report({ ...page, closing: '10.00', page: { number: 2, last: true }, entries: [] });
    expect(await openings()).toBe(-800n);
    expect(await compare()).toMatchObject({ expected: 1_700n, difference: 0n });
    const statements = await at.ledger.selectFrom('bankStatements').orderBy('closedOn').select(['number', 'gap']).execute();
    expect(statements).toEqual([
      { number: 'A1', gap: null },
      { number: 'A2', gap: null },
    ]);
  });
});

it('of two statements of a day, the first of which begins on the evening before, both count', async () => {
  const fee = { amount: '3.00', direction: 'DBIT', bookedOn: '2026-11-18' };
  await report({ id: 'A1', from: '2026-11-17', to: '2026-11-18', day: '2026-11-18', opening: '10.00', closing: '7.00', entries: [fee] });
  await report({ id: 'A2', from: '2026-11-18', to: '2026-11-18', day: '2026-11-18', opening: '7.00', closing: '4.00', entries: [fee] });
  expect(await gaps()).toEqual([]);
  expect(await compare()).toMatchObject({ expected: 400n, actual: 400n, difference: 0n });
});

const pay = (amount: string, refs: Record<string, string>) => payment(at.customer.iban, amount, { refs });

/** Pages of a statement, each in a file of its own. */
const pages = (...balances: [opening: string, closing: string][]): StatementSpec[] =>
  balances.map(([opening, closing], index) => ({
    id: 'A2',
    day: '2026-11-18',
    page: { number: index + 1, last: index === balances.length - 1 },
    opening,
    closing,
    entries: [index === 2 ? debit('20.00', 'D', '2026-11-18') : arrived('10.00', `C${index}`, '2026-11-18')],
  }));

const paged: Record<string, StatementSpec[]> = {
  'each with balances of its own': pages(['5.00', '15.00'], ['15.00', '25.00'], ['25.00', '5.00']),
  'each with those of the whole': pages(['5.00', '5.00'], ['5.00', '5.00'], ['5.00', '5.00']),
  'of which the first has them': pages(['5.00', '5.00'], ['', ''], ['', '']),
  'of which the first opens it, and the last closes it': pages(['5.00', ''], ['', ''], ['', '5.00']),
};
const orders = permutations([0, 1, 2]).map((order) => order.map((index) => index + 1).join(' '));

describe('a statement in pages', () => {
  it.each(Object.keys(paged).flatMap((kind) => orders.map((order) => [kind, order] as const)))(
    'is compared when all are there: %s, in the order %s',
    async (kind, order) => {
      await report({ id: 'A1', day: '2026-11-17', opening: '5.00', closing: '5.00' });
      for (const page of order.split(' ')) {
        await report(paged[kind]?.[Number(page) - 1] as StatementSpec);
        expect([page, (await compare())?.difference ?? 0n]).toEqual([page, 0n]);
      }
      expect(await compare()).toMatchObject({ actual: 500n });
      expect(await gaps()).toEqual([]);
    },
  );

  it('lists money whose credit another statement listed before', async () => {
    const bookedOn = '2026-11-18';
    const batch = [pay('10.00', { EndToEndId: 'RENT' }), pay('20.00', { EndToEndId: 'GAS' })];
    const known = { UETR: '9b0a6d1c-5d5f-4c43-9c4e-6f3c3f0a1b2d' };
    const notified = { message: 'camt.054', day: bookedOn } as const;
    await report({ id: 'A1', day: '2026-11-17', opening: '0.00', closing: '0.00' });
    await report({ ...notified, id: 'N1', entries: [{ amount: '30.00', bookedOn, transactions: batch }] });
    await report({ ...notified, id: 'N2', entries: [{ amount: '10.00', bookedOn, transactions: [pay('10.00', known)] }] });
    await report({ id: 'A2', day: bookedOn, opening: '0.00', closing: '30.00', entries: [{ amount: '30.00', bookedOn, batch: '2' }] });
    const [first] = pages(['30.00', '40.00'], ['40.00', '40.00']) as [StatementSpec];
    const stated = { amount: '10.00', bookedOn, transactions: [{ ...pay('10.00', known), creditorIban: '' }] };
    await report({ ...first, id: 'A3', entries: [stated] });
    expect(await compare()).toMatchObject({ actual: 3_000n, difference: 0n });
  });

  it('one of which never comes is named, and not compared before an operator accepts that', async () => {
    const [first, second] = pages(['5.00', '15.00'], ['15.00', '25.00']) as [StatementSpec, StatementSpec];
    await report(second);
    expect(await openGaps(at.ledger, 10)).toMatchObject([{ number: 'A2', gap: 'its page 1 has not come' }]);
    expect(await compare()).toBeUndefined();
    await report({ ...first, id: 'A3', page: { number: 1, last: false }, opening: '25.00', closing: '40.00' });
    const [, gap] = await openGaps(at.ledger, 10);
    expect(gap).toMatchObject({ number: 'A3', gap: 'its page 2 has not come' });
    await acceptGap(at.ledger, gap?.id ?? '', { reason: 'the bank says so', operator: 'jane' });
    expect(await compare()).toMatchObject({ actual: 4_000n });
  });
});

it('a missing statement is noted, until it is imported', async () => {
  await report({ id: 'A1', sequence: 1, day: '2026-11-02', opening: '0.00', closing: '0.00' });
  await report({ id: 'A3', sequence: 3, day: '2026-11-04', opening: '7.00', closing: '7.00' });
  expect(await gaps()).toEqual(['A3']);
  expect(await compare()).toMatchObject({ expected: 0n, actual: 700n, difference: 700n });
  await report({
    id: 'A2',
    sequence: 2,
    day: '2026-11-03',
    opening: '0.00',
    closing: '7.00',
    entries: [credit('7.00', 'C', '2026-11-03')],
  });
  expect(await gaps()).toEqual([]);
  expect(await compare()).toMatchObject({ difference: 0n });
  await report({ id: 'A5', sequence: 5, day: '2026-11-05', opening: '7.00', closing: '7.00' });
  expect(await gaps()).toEqual(['A5']);
});

describe('no statement is missing where days are stated again', () => {
  const [one, two, three] = [
    arrived('10.00', 'C1', '2026-11-02'),
    arrived('5.00', 'C2', '2026-11-03'),
    arrived('3.00', 'C3', '2026-11-04'),
  ];
  const first: StatementSpec = { id: 'A1', day: '2026-11-02', opening: '100.00', closing: '110.00', entries: [one] };
  const second: StatementSpec = { id: 'A2', day: '2026-11-03', opening: '110.00', closing: '115.00', entries: [two] };
  const third: StatementSpec = { id: 'A3', day: '2026-11-04', opening: '115.00', closing: '118.00', entries: [three] };
  const both = { day: '2026-11-03', from: '2026-11-02', to: '2026-11-03', opening: '100.00', closing: '115.00', entries: [one, two] };

  it.each<[string, StatementSpec[]]>([
    ['a day under another name', [first, second, { ...second, id: 'copy' }, third]],
    ['part of a day before all of it', [first, { ...second, id: 'part', closing: '110.00', entries: [] }, second, third]],
    ['days at once before each of them', [{ id: 'both', ...both }, first, second, third]],
    ['days at once after each of them', [first, second, third, { id: 'both', ...both }]],
  ])('%s', async (_, statements) => {
    for (const statement of statements) await report(statement);
    expect(await gaps()).toEqual([]);
    expect(await compare()).toMatchObject({ expected: 11_800n, actual: 11_800n });
  });

  it('but it is between two statements of a day that do not meet', async () => {
    await report(first);
    await report({ ...second, closing: '112.00', entries: [arrived('2.00', 'C4', '2026-11-03')] });
    await report({ ...second, id: 'A2b', opening: '113.00', closing: '115.00', entries: [arrived('2.00', 'C5', '2026-11-03')] });
    expect(await gaps()).toEqual(['A2b']);
  });
});

it('a gap that an operator has accepted does not hide the next one before the same statement', async () => {
  await report({ id: 'A1', sequence: 1, day: '2026-11-02', opening: '0.00', closing: '0.00' });
  const third = { id: 'A3', sequence: 3, day: '2026-11-04', opening: '0.00', closing: '0.00' };
  await report(third);
  const [skipped] = await openGaps(at.ledger, 10);
  await acceptGap(at.ledger, skipped?.id as string, { reason: 'the bank skipped a number', operator: 'anna' });
  await report({ ...third, summary: '' });
  expect(await openGaps(at.ledger, 10)).toEqual([]);
  await report({
    id: 'A2',
    sequence: 2,
    day: '2026-11-03',
    opening: '0.00',
    closing: '500.00',
    entries: [credit('500.00', 'C', '2026-11-03')],
  });
  expect(await openGaps(at.ledger, 10)).toMatchObject([
    { id: skipped?.id, gap: 'it opens at another balance than the one before it closes' },
  ]);
  expect(await listStatements(at.ledger, { limit: 1 })).toMatchObject([{ number: 'A3', gapReason: null }]);
});

it('an ordinary month leaves nothing to explain', async () => {
  let balance = 100_000n;
  let late: EntrySpec | undefined;
  for (let number = 1; number <= 20; number += 1) {
    const day = `2026-11-${(number + Math.floor((number - 1) / 5) * 2 + 1).toString().padStart(2, '0')}`;
    const credits = [1, 2, 3].map((index) => credit(money(BigInt(number * 100 + index)), `${day}-${index}`, day));
    const { payouts } = number % 4 === 0 ? await sendPayouts(at, 1) : { payouts: [] };
    const debits = payouts.map(({ endToEndId }, index) => debit('12.50', `${day}-P${index}`, day, endToEndId));
    const fee = number % 10 === 0 ? [debit('2.00', `${day}-FEE`, day)] : [];
    const entries = [...credits, ...debits, ...fee, ...(late ? [late] : [])];
    late = number % 6 === 0 ? credit('0.40', `${day}-LATE`, day) : undefined;
    await report({ id: `N${number}`, message: 'camt.054', entries: [...credits.slice(0, 2), ...debits] });
    if (late && number % 12 === 0) await report({ id: `L${number}`, message: 'camt.054', entries: [late] });
    const change = entries.reduce((sum, { amount = '0', direction }) => {
      const minor = BigInt(amount.replace('.', ''));
      return direction === 'DBIT' ? sum - minor : sum + minor;
    }, 0n);
    const [opening, closing] = [money(balance), money(balance + change)];
    balance += change;
    await report({ id: `S${number}`, sequence: number, day, opening, closing, entries });
    if (number % 3 === 0) await rollForward(at.ledger);
    expect(await compare()).toMatchObject({ actual: balance, difference: 0n });
    const states = await compareBookWithStates(at.ledger);
    expect(states.filter(({ difference }) => difference !== 0n)).toEqual([]);
  }
  expect(await openings()).toBe(-100_000n);
  const statements = await at.ledger.selectFrom('bankStatements').selectAll().execute();
  expect(statements.filter(({ gap }) => gap !== null)).toEqual([]);
  expect(statements).toHaveLength(20);
});

it('an operator sees statements with their balances, and accepts a gap', async () => {
  await report({ id: 'A1', sequence: 1, day: '2026-11-02', opening: '1.00', closing: '1.00' });
  await report({ id: 'A3', sequence: 3, day: '2026-11-03', closing: '2.50' });
  const [newest] = await listStatements(at.ledger, { limit: 10 });
  expect(newest).toMatchObject({
    number: 'A3',
    opening: null,
    closing: 250n,
    booked: 100n,
    difference: 150n,
    gap: expect.stringContaining('3'),
  });
  expect(await bankProblems(at.ledger)).toMatchObject([
    { kind: 'statement_missing', text: expect.stringContaining(`accept-gap ${newest?.id}`) },
  ]);
  const accept = () => acceptGap(at.ledger, newest?.id ?? '', { reason: 'the bank skipped it', operator: 'jane' });
  await accept();
  expect(await bankProblems(at.ledger)).toEqual([]);
  await expect(accept()).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('No statement is missing before') as string,
  });
  const audit = await at.ledger.selectFrom('auditLog').where('action', '=', 'statement.accept').select(['actor', 'subject']).execute();
  expect(audit).toEqual([{ actor: 'jane', subject: newest?.id }]);
});
