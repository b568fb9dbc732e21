import { afterEach, describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/ledger/bank/debits/unexplained-debits.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { readBalances } from '../../src/ledger/book/balances.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { boundsOf } from '../../src/problems/bounds.ts';
import { ledgerProblems } from '../../src/problems/ledger-problems.ts';
import { type EntrySpec, masterIban, type TransactionSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';
import { bookings } from './bookings.ts';
import { sendPayouts, type SentPayout } from './payouts-sent.ts';

const at = testPayments({ isShared: true });

afterEach(() => at.expectAgreement());

const { book: report, explain } = bookings(at);
const notify = (entries: EntrySpec[]) => report(entries, { message: 'camt.054' });
const debit = (amount: string, reference: string | undefined, more: Partial<EntrySpec> = {}): EntrySpec => ({
  amount,
  direction: 'DBIT',
  ...(reference !== undefined && { reference }),
  ...more,
});
const transaction = (amount: string, refs: Record<string, string>): TransactionSpec => ({ amount, refs });

const single = (reference: string, amount: string, endToEndId = '') =>
  debit(amount, reference, { transactions: [transaction(amount, { EndToEndId: endToEndId })] });
const sum = (amount: string, messageId: string, more: Partial<EntrySpec> = {}) =>
  debit(amount, `F-${messageId.slice(-6)}`, { batch: '3', batchOf: messageId, ...more });

const balances = async () => {
  const rows = await readBalances(at.ledger);
  const of = (account: string) => rows.find((row) => row.account === account)?.amount ?? 0n;
  return [of('assets:differences'), of('equity:operator'), of(`assets:bank:${masterIban}`)] as const;
};
/** A day on which no report can be taken for one of the usual day. */
const muchLater: Partial<EntrySpec> = { bookedOn: '2026-12-02' };
const repeatOf = (...references: string[]): Explanation => ({
  as: 'repeat-of',
  debits: references.map((each) => `${masterIban}:${each}`),
});

/** An entry of two transactions with numbers of their own. */
const fourAndSix = (reference: string) =>
  debit('10.00', reference, {
    batch: '2',
    transactions: ['4.00', '6.00'].map((amount, index) => transaction(amount, { AcctSvcrRef: `${reference}-T${index + 1}` })),
  });

/** Debits whose reference begins so, in a few words: `X 5.00 unexplained`. */
async function debits(begin: string): Promise<string[]> {
  const rows = await at.ledger.selectFrom('bankDebits').orderBy('receivedAt').orderBy('reference').selectAll().execute();
  return rows
    .map(({ reference, amount, state }) => `${reference.replace(`${masterIban}:`, '')} ${amount} ${state}`)
    .filter((text) => text.startsWith(begin));
}
const daily = (day: string) => report([debit('3.20', 'DAILY', { bookedOn: day })], { day });
const differences = async () => (await readBalances(at.ledger)).find(({ account }) => account === 'assets:differences')?.amount ?? 0n;
const state = async (id: string) => (await at.payments()).find((row) => row.id === id)?.state;

describe('a debit that is none of our payments', () => {
  it('is booked as a difference and shown to the operator', async () => {
    const before = await differences();
    const done = await report([debit('500000.00', 'BIG', { transactions: [{ amount: '500000.00', ustrd: ['to nobody we know'] }] })]);
    expect(done).toMatchObject({
      unexplained: 1,
      alerts: [{ outcome: 'unexplained', amount: '500000.00', reference: `${masterIban}:BIG` }],
    });
    expect(await debits('BIG')).toEqual(['BIG 50000000 unexplained']);
    expect((await differences()) - before).toBe(50_000_000n);
  });

  it.each([
    ['the same reference', 'R1', 'R1', {}, {}],
    ['no reference first, the same facts', undefined, 'R2', { bookedOn: '2026-11-02' }, { bookedOn: '2026-11-02' }],
    ['another reference and the same UETR', 'R3', 'R4', ...sameUetr('7a562c67-ca16-48ba-b074-65581be6f001')],
  ])('counts once with %s in a notification and in a statement', async (_, first, second, one, other) => {
    const before = await differences();
    await notify([debit('7.00', first, one)]);
    const again = await report([debit('7.00', second, other)]);
    expect(again).toMatchObject({ unexplained: 0 });
    expect((await differences()) - before).toBe(700n);
  });

  it('counts twice when a statement lists it twice', async () => {
    const before = await differences();
    expect(await report([debit('3.00', undefined), debit('3.00', undefined)])).toMatchObject({ unexplained: 2 });
    expect((await differences()) - before).toBe(600n);
  });

  it('counts once a day where the bank counts its numbers anew each day', async () => {
    expect(await daily('2026-11-03')).toMatchObject({ unexplained: 1 });
    expect(await daily('2026-11-04')).toMatchObject({ unexplained: 1 });
    for (const day of ['2026-11-04', '2026-11-03']) expect(await daily(day)).toMatchObject({ unexplained: 0 });
    expect(await debits('DAILY')).toEqual(['DAILY 320 unexplained', 'DAILY~2026-11-04 320 unexplained']);
  });

  it('is not a pending one', async () => {
    expect(await report([debit('3.10', 'PENDING', { status: 'PDNG' })])).toMatchObject({ unexplained: 0 });
  });

  it('is the charges that the bank adds to a payment of ours', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const [{ id, endToEndId }] = payouts as [SentPayout];
    const transactions = [{ ...transaction('12.50', { EndToEndId: endToEndId }), charges: '0.50' }];
    expect(await report([debit('13.00', 'CH', { transactions })])).toMatchObject({ settled: 1, unexplained: 1 });
    expect(await state(id)).toBe('accepted');
    expect(await debits('CH')).toEqual(['CH 1250 payment', 'CH#charges 50 unexplained']);
  });

  it('is a second debit of one payment', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const refs = { EndToEndId: payouts[0]?.endToEndId ?? '' };
    const once = debit('12.50', 'D1', { transactions: [transaction('12.50', refs)] });
    expect(await report([once, { ...once, reference: 'D2' }])).toMatchObject({ settled: 1, unexplained: 1 });
    expect(await report([{ ...once, reference: 'D2' }, once])).toMatchObject({ settled: 0, unexplained: 0 });
    const [row] = await at.ledger.selectFrom('bankDebits').where('reference', '=', `${masterIban}:D2`).selectAll().execute();
    expect(row).toMatchObject({ state: 'unexplained', problem: 'the bank has booked this payment before' });
  });

  it('is a payment of ours with another amount, or one that was refused', async () => {
    const { payouts } = await sendPayouts(at, 2);
    const [first, second] = payouts;
    await at.decide(second?.id ?? '', 'AC04 closed');
    const done = await report([single('M1', '12.51', first?.endToEndId), single('M2', '12.50', second?.endToEndId)]);
    expect(done).toMatchObject({ settled: 0, unexplained: 2 });
    expect(done.alerts.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('the payment is over 12.50 EUR'),
      expect.stringContaining('A PAYMENT THAT WAS REFUSED'),
    ]);
  });
});

describe('a debit that is one of our payments', () => {
  it('or a whole file of them, settles it once a statement books what was notified with a status that nobody knows', async () => {
    const one = await sendPayouts(at, 1);
    const file = await sendPayouts(at, 2);
    const entries = [single('NOSTS', '12.50', one.payouts[0]?.endToEndId), sum('25.00', file.messageId, { batch: '2' })];
    expect(await notify(entries.map((entry) => ({ ...entry, status: '' })))).toMatchObject({ settled: 0, unexplained: 2 });
    expect(await report(entries)).toMatchObject({ settled: 3, unexplained: 0 });
    for (const { id } of [...one.payouts, ...file.payouts]) expect(await state(id)).toBe('accepted');
  });

  it('settles it, alone or in a batch', async () => {
    const { payouts } = await sendPayouts(at, 3);
    const [one, other, third] = payouts.map(({ endToEndId }) => transaction('12.50', { EndToEndId: endToEndId })) as [
      TransactionSpec,
      TransactionSpec,
      TransactionSpec,
    ];
    const done = await report([
      debit('12.50', 'OWN1', { transactions: [one] }),
      debit('25.00', 'OWN2', { transactions: [other, third] }),
      single('OWN3', '9.00', 'FEES'),
    ]);
    expect(done).toMatchObject({ settled: 3, unexplained: 1, alerts: [{ amount: '9.00' }], counts: { skipped: 3 } });
    for (const { id, order } of payouts) expect([await state(id), (await at.order(order)).state]).toEqual(['accepted', 'processed']);
  });

  it.each([
    ['is not booked yet', 'X1', { status: 'PDNG' }],
    ['is taken back', 'X2', { reversal: true }],
    ['is a credit', 'X3', { direction: 'CRDT' }],
  ])('does not settle it when it %s', async (_, reference, more) => {
    const { payouts } = await sendPayouts(at, 1);
    const [{ id, endToEndId }] = payouts as [SentPayout];
    expect(await report([{ ...single(reference, '12.50', endToEndId), ...more }])).toMatchObject({ settled: 0 });
    expect(await state(id)).toBe('sent');
  });
});

describe('a sum and its transactions', () => {
  it('count once when the sum came first, and payments among them are settled', async () => {
    const before = await differences();
    const { payouts } = await sendPayouts(at, 1);
    await notify([debit('20.00', 'SUM', { batch: '2' })]);
    expect((await differences()) - before).toBe(2_000n);
    const transactions = [transaction('12.50', { EndToEndId: payouts[0]?.endToEndId ?? '' }), transaction('7.50', { EndToEndId: 'RENT' })];
    expect(await report([debit('20.00', 'SUM', { transactions })])).toMatchObject({ settled: 1, unexplained: 1 });
    expect(await debits('SUM')).toEqual(['SUM#replaced-1 2000 replaced', 'SUM#tx1 1250 payment', 'SUM#tx2 750 unexplained']);
    expect((await differences()) - before).toBe(750n);
  });

  it('count once when the transactions came first', async () => {
    const before = await differences();
    const transactions = [transaction('4.00', { EndToEndId: 'A' }), transaction('6.00', { EndToEndId: 'B' })];
    await notify([debit('10.00', 'SUM2', { transactions })]);
    expect(await report([debit('10.00', 'SUM2', { batch: '2' })])).toMatchObject({ unexplained: 0 });
    expect((await differences()) - before).toBe(1_000n);
  });

  it.each([
    ['without a number', 'N1', false, undefined],
    ['with a number of its own', 'N2', true, undefined],
    ['with a part of the amount', 'N3', false, '4.00'],
    ['with a part of the amount and a number', 'N4', true, '4.00'],
  ])('count once when the sum lists only one of them, %s, whichever comes first', async (_, name, isNumbered, amount) => {
    const before = await differences();
    const [one, two] = [`${name}A`, `${name}B`];
    const only = (reference: string) =>
      debit('10.00', reference, {
        batch: '2',
        transactions: [{ refs: isNumbered ? { AcctSvcrRef: `${reference}-T1` } : {}, ...(amount && { amount }) }],
      });
    for (const reports of [
      [only(one), fourAndSix(one), only(one)],
      [fourAndSix(two), only(two)],
    ]) {
      for (const [index, entry] of reports.entries()) await (index === 1 ? report([entry]) : notify([entry]));
    }
    expect((await differences()) - before).toBe(2_000n);
  });

  it('count once when the only transaction says nothing of others', async () => {
    const before = await differences();
    const whole = debit('10.00', 'ALONE', { transactions: [{ amount: '10.00', refs: { EndToEndId: 'A' } }] });
    await notify([whole]);
    await report([fourAndSix('ALONE')]);
    await notify([whole]);
    expect((await differences()) - before).toBe(1_000n);
  });

  it('count once when a single payment was reported without details first', async () => {
    const before = await differences();
    const { payouts } = await sendPayouts(at, 1);
    await notify([debit('12.50', 'ONE')]);
    const transactions = [transaction('12.50', { EndToEndId: payouts[0]?.endToEndId ?? '' })];
    for (const settled of [1, 0])
      expect(await report([debit('12.50', 'ONE', { transactions })])).toMatchObject({ settled, unexplained: 0 });
    expect(await state(payouts[0]?.id ?? '')).toBe('accepted');
    expect(await differences()).toBe(before);
  });
});

describe('a whole payment file booked in one sum', () => {
  it('settles all of its payments', async () => {
    const before = await differences();
    const { messageId, payouts } = await sendPayouts(at, 3);
    expect(await notify([sum('37.50', messageId)])).toMatchObject({ settled: 3, unexplained: 0 });
    expect(await report([sum('37.50', messageId)])).toMatchObject({ settled: 0, unexplained: 0 });
    for (const { id } of payouts) expect(await state(id)).toBe('accepted');
    expect(await differences()).toBe(before);
  });

  it('is what was notified payment by payment, or is stated so', async () => {
    const bookedOn = '2026-11-28';
    const [first, second] = [await sendPayouts(at, 2), await sendPayouts(at, 2)];
    const singles = ({ payouts }: typeof first, name: string) =>
      payouts.map(({ endToEndId }, index) => ({ ...single(`${name}${index}`, '12.50', endToEndId), bookedOn }));
    const file = ({ messageId }: typeof first) => sum('25.00', messageId, { batch: '2', bookedOn });
    const before = await balances();
    expect(await notify([file(first), ...singles(second, 'QN')])).toMatchObject({ settled: 4 });
    const days = { day: bookedOn, opening: '100.00', closing: '50.00' };
    const stated = await report([...singles(first, 'QS'), file(second)], days);
    expect(stated).toMatchObject({ settled: 0, unexplained: 0, alerts: [] });
    expect((await balances()).map((amount, index) => amount - (before[index] ?? 0n))).toEqual([0n, 0n, -5_000n]);
    const unlisted = await at.ledger.selectFrom('bankBookings').where('statement', 'is', null).select('source').execute();
    const ids = new Set([...first.payouts, ...second.payouts].map(({ id }) => id));
    expect(unlisted.filter(({ source }) => ids.has(source))).toEqual([]);
    // Twice in statements is twice.
    const again = await report(singles(first, 'QT'), { day: bookedOn, opening: '50.00', closing: '25.00' });
    expect(again).toMatchObject({ unexplained: 2 });
  });

  it('is held when a payment of it is booked by itself as well', async () => {
    const { messageId, payouts } = await sendPayouts(at, 2);
    const bookedOn = '2026-11-05';
    const entries = [
      { ...single('BY-ITSELF', '12.50', payouts[0]?.endToEndId), bookedOn },
      sum('25.00', messageId, { batch: '2', bookedOn }),
    ];
    expect(await report(entries, { day: '2026-11-20' })).toMatchObject({ settled: 1, unexplained: 1 });
  });

  it('settles those that were not refused', async () => {
    const { messageId, payouts } = await sendPayouts(at, 3);
    await at.decide(payouts[1]?.id ?? '', 'AC04 closed');
    expect(await report([sum('25.00', messageId, { batch: '2' })])).toMatchObject({ settled: 2, unexplained: 0 });
  });

  it('is held when its amount or number is not that of the file', async () => {
    const { messageId, payouts } = await sendPayouts(at, 3);
    expect(await report([sum('37.49', messageId)])).toMatchObject({ settled: 0, unexplained: 1 });
    expect(await state(payouts[0]?.id ?? '')).toBe('sent');
  });
});

function sameUetr(UETR: string): [Partial<EntrySpec>, Partial<EntrySpec>] {
  const transactions = [{ amount: '7.00', refs: { UETR } }];
  return [{ transactions }, { transactions: [{ amount: '7.00', refs: { UETR: UETR.toUpperCase() } }] }];
}

describe('an operator explains a debit', () => {
  it('as a fee, which is the operator’s own money, once', async () => {
    await report([debit('2.00', 'FEE')]);
    const before = await balances();
    const outcomes = await Promise.allSettled([explain('FEE', { as: 'fee' }), explain('FEE', { as: 'own' })]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const after = await balances();
    expect(after.map((amount, index) => amount - (before[index] ?? 0n))).toEqual([-200n, 200n, 0n]);
    const first = outcomes[0]?.status === 'fulfilled' ? 'fee' : 'own';
    await expect(explain('FEE', { as: 'fee' })).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringMatching(new RegExp(`^The debit \\S+:FEE is explained as ${first}, by jane$`)) as string,
    });
    await expect(explain('NONE', { as: 'fee' })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('There is no debit') as string,
    });
    const audit = await at.ledger
      .selectFrom('auditLog')
      .where('action', '=', 'debit.explain')
      .select(['actor', 'subject', 'detail'])
      .execute();
    expect(audit).toMatchObject([{ actor: 'jane', subject: `${masterIban}:FEE`, detail: { explanation: 'the bank says so' } }]);
    expect(await report([debit('2.00', 'FEE')])).toMatchObject({ unexplained: 0 });
  });

  it('as a payment of ours that the bank did not name, which is settled by it', async () => {
    const { payouts } = await sendPayouts(at, 2);
    const [first, second] = payouts as [SentPayout, SentPayout];
    await report([debit('12.50', 'P1'), debit('12.51', 'P2'), debit('12.50', 'P3')]);
    await expect(explain('P2', { as: 'payment', payments: [second.id], isWithFee: false })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('This does not explain the debit') as string,
    });
    const before = await balances();
    await explain('P1', { as: 'payment', payments: [first.id], isWithFee: false });
    expect(await state(first.id)).toBe('accepted');
    expect((await balances())[0] - before[0]).toBe(-1_250n);
    await expect(explain('P3', { as: 'payment', payments: [first.id], isWithFee: false })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('This does not explain the debit') as string,
    });
    await expect(explain('P3', { as: 'payment', payments: [first.order], isWithFee: false })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('This does not explain the debit') as string,
    });
    expect(await debits('P')).toEqual(['P1 1250 explained', 'P2 1251 unexplained', 'P3 1250 unexplained']);
  });

  it('as several payments of ours, and the fee that the bank added to them', async () => {
    const { payouts } = await sendPayouts(at, 2);
    const payments = payouts.map(({ id }) => id);
    await report([debit('25.40', 'PF')]);
    await expect(explain('PF', { as: 'payment', payments, isWithFee: false })).rejects.toThrow('the payments come to 25.00');
    const before = await balances();
    await explain('PF', { as: 'payment', payments, isWithFee: true });
    expect((await balances()).map((amount, index) => amount - (before[index] ?? 0n))).toEqual([-2_540n, 40n, 0n]);
    expect(await Promise.all(payments.map(state))).toEqual(['accepted', 'accepted']);
    await report([debit('12.50', 'PG')]);
    await expect(explain('PG', { as: 'payment', payments: payments.slice(1), isWithFee: false })).rejects.toThrow('is booked already');
  });

  it('as the return of a credit by hand', async () => {
    const credit = await report([{ amount: '5.00', reference: 'LOST', transactions: [{ amount: '5.00', payer: { name: 'Nobody' } }] }]);
    expect(credit).toMatchObject({ counts: { unmatched: 1 } });
    await report([debit('5.00', 'BACK')]);
    const explanation: Explanation = { as: 'return-of', credit: `${masterIban}:LOST` };
    await expect(explain('BACK', explanation)).rejects.toThrow('mark it by `mintrail bank return` first');
    await returnCredit(at.ledger, `${masterIban}:LOST`);
    await explain('BACK', explanation);
    const left = (await readBalances(at.ledger)).find(({ account }) => account === 'liabilities:return')?.amount ?? 0n;
    expect(left).toBe(0n);
  });

  it('as a second report of another debit under another number: the money left once', async () => {
    const before = await balances();
    await notify([debit('7.00', 'NF1')]);
    await report([debit('7.00', 'SF1', muchLater), debit('8.00', 'SF2')]);
    await explain('NF1', { as: 'fee' });
    const first = `${masterIban}:NF1`;
    await expect(explain('SF2', { as: 'repeat-of', debits: [first] })).rejects.toThrow('is of 7.00 EUR');
    await expect(explain('SF1', { as: 'repeat-of', debits: [`${masterIban}:SF1`] })).rejects.toThrow('cannot repeat itself');
    await expect(explain('SF1', { as: 'repeat-of', debits: ['nothing'] })).rejects.toThrow('there is no debit nothing');
    await explain('SF1', { as: 'repeat-of', debits: [first] });
    await explain('SF2', { as: 'own' });
    expect((await balances()).map((amount, index) => amount - (before[index] ?? 0n))).toEqual([0n, 1_500n, -1_500n]);
    await notify([debit('7.00', 'NF3', { bookedOn: '2026-11-11' })]);
    await expect(explain('NF3', { as: 'repeat-of', debits: [`${masterIban}:SF1`] })).rejects.toThrow('counts under another reference');
    await explain('NF3', { as: 'fee' });
  });

  it('as parts of another debit, or as the sum of several', async () => {
    const before = await balances();
    const early = { bookedOn: '2026-11-11' };
    await notify([
      debit('30.00', 'ALL', early),
      debit('10.00', 'PART1', early),
      debit('20.00', 'PART2', early),
      debit('5.00', 'PART3', early),
    ]);
    await report([debit('30.00', 'BOTH', muchLater)]);
    await expect(explain('BOTH', repeatOf('PART1', 'PART3'))).rejects.toThrow('the debits come to 15.00 EUR');
    await explain('BOTH', repeatOf('PART1', 'PART2'));
    await explain('PART1', repeatOf('ALL'));
    await explain('PART2', repeatOf('ALL'));
    await expect(explain('PART3', repeatOf('ALL'))).rejects.toThrow('come to 35.00, and it is of 30.00');
    for (const each of ['ALL', 'PART3']) await explain(each, { as: 'fee' });
    expect((await balances()).map((amount, index) => amount - (before[index] ?? 0n))).toEqual([0n, 3_500n, -3_500n]);
  });

  it('after status has named them', async () => {
    const problems = await ledgerProblems(at.ledger, boundsOf(loadSettings({ DATABASE_URL: at.url }), new Date()));
    const problem = problems.find(({ kind }) => kind === 'debit_unexplained');
    expect(problem).toMatchObject({ subject: `${masterIban} eur`, text: expect.stringContaining('mintrail bank explain') });
  });
});
