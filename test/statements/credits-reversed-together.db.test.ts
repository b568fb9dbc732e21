import { afterEach, describe, expect, it } from 'vitest';
import { listClaims, writeOffClaim } from '../../src/ledger/bank/claims/claims.ts';
import { undoReversal } from '../../src/ledger/bank/claims/undo-reversal.ts';
import { listUnexplainedDebits } from '../../src/ledger/bank/debits/unexplained-debits.ts';
import { debits } from '../../src/operations/bank/debit-views.ts';
import { readView } from '../../src/operations/view.ts';
import { repeatCredit } from '../../src/ledger/bank/unmatched/repeat-credit.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { type EntrySpec, masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { payerIban, randomHash, testPayments } from '../ledger/bank/payments-ledger.ts';
import { payment } from './bank-rail.ts';
import { bookings, unassigned } from './bookings.ts';

const at = testPayments();
afterEach(async () => {
  const unlisted = await at.ledger.selectFrom('bankBookings').where('account', '=', masterIban).where('statement', 'is', null).execute();
  expect(unlisted).toEqual([]);
});
const { book, explain, creditOf, debitState, balances } = bookings(at);

const uetr = '3a1f0c52-7d4e-4b6a-9c8d-0e1f2a3b4c5d';
const otherUetr = '8b2e1d63-6c5f-4a7b-8d9e-1f0a3b2c5d4e';
const debit = `${masterIban}:D1`;
const reference = (number: number) => `${masterIban}:B1#tx${number}`;

/** An entry of three credits: to a customer, to the same customer, to nobody. */
const batch = (): EntrySpec => ({
  amount: '30.00',
  reference: 'B1',
  transactions: [
    payment(at.customer.iban, '10.00', { refs: { UETR: uetr } }),
    payment(at.customer.iban, '7.00', { refs: { UETR: otherUetr } }),
    payment(unassigned, '13.00'),
  ],
});
const takenBack = (more: Partial<EntrySpec> = {}): EntrySpec => ({
  amount: '30.00',
  reference: 'D1',
  direction: 'DBIT',
  reversal: true,
  ...more,
});

const orderOf = async (credit: string) => (await at.credit(credit)).orderId as string;
const states = () => Promise.all([1, 2, 3].map(async (number) => (await at.credit(reference(number))).state));
const claims = async () => (await listClaims(at.ledger, 10)).map(({ reversal, state, amount }) => `${reversal} ${state} ${amount}`);
const takes = (of: string, ...credits: string[]) => explain(of, { as: 'reversal-of', credits });

/** The entry with one of its payments alone. */
const listed = (number: string, amount: string): EntrySpec => ({
  amount,
  reference: 'B1',
  transactions: [payment(at.customer.iban, amount, { refs: { AcctSvcrRef: number } })],
});

/** Entries of one payment to the customer each, to all of which the bank gives one reference. */
const alike = (amount: string, ...references: string[]): EntrySpec[] =>
  references.map((EndToEndId) => ({
    amount,
    reference: 'B1',
    transactions: [payment(at.customer.iban, amount, { refs: { EndToEndId } })],
  }));

describe('credits of an entry that the bank takes back in one sum', () => {
  it('are each taken back once, by the reference of their entry: what is issued becomes a claim, the rest is undone', async () => {
    await book([batch()]);
    await at.settle(await orderOf(reference(1)), 'issue', randomHash());
    const report = await book([takenBack({ reference: 'B1' })]);
    expect(report).toMatchObject({
      unexplained: 0,
      alerts: [1, 2, 3].map((number) => ({ reason: expect.stringContaining(`#tx${number} BACK`) })),
    });
    const expected = async () => {
      expect([await states(), await debitState()]).toEqual([['matched', 'reversed', 'reversed'], 'reversal']);
      expect(await at.legs(await orderOf(reference(2)))).toBe('issue void');
      expect(await claims()).toEqual([`${masterIban}:B1#credit-1 open 1000`]);
      expect(await balances()).toEqual({ 'assets:claims': 1000n, 'liabilities:tokens:chiado': -1000n });
    };
    await expected();
    await book([takenBack({ reference: 'B1' })], { message: 'camt.054' });
    await book([batch(), takenBack({ reference: 'B1' })]);
    await expected();
    const undone = await undoReversal(at.ledger, `${masterIban}:B1#credit-1`, { reason: 'it was another entry', operator: 'jane' });
    expect(undone.credits.map(({ isUnmatched }) => isUnmatched)).toEqual([false, true, true]);
    expect(await balances()).toEqual({ 'assets:differences': 3000n, 'liabilities:suspense': -2000n, 'liabilities:tokens:chiado': -1000n });
    await book([takenBack({ reference: 'B1' })]);
    expect(await debitState()).toBe('unexplained');
  });

  it('are recognised by the UETR of one of them, and when the debit is reported first', async () => {
    await book([takenBack({ transactions: [{ amount: '30.00', refs: { UETR: uetr } }] })]);
    await book([batch()]);
    expect([await states(), await debitState()]).toEqual([['reversed', 'reversed', 'reversed'], 'reversal']);
  });

  it('are taken back when the last of them is reported alone, after the debit', async () => {
    await book([listed('T1', '20.00')]);
    await book([takenBack({ reference: 'B1' })]);
    await book([listed('T2', '10.00')]);
    expect([await debitState(), (await creditOf('T1')).state, (await creditOf('T2')).state]).toEqual(['reversal', 'reversed', 'reversed']);
  });

  it.each(['first', 'last'])(
    'are taken back once when the debit names one of them, and its transactions are reported, %s',
    async (order) => {
      await book([batch()]);
      const sum = takenBack({ batch: '3', transactions: [{ refs: { UETR: uetr } }] });
      const refs = [{ UETR: uetr }, { UETR: otherUetr }, {}];
      const transactions = ['10.00', '7.00', '13.00'].map((amount, index) => ({
        amount,
        refs: { AcctSvcrRef: `D1-${index + 1}`, ...refs[index] },
      }));
      const parts = takenBack({ batch: '3', transactions });
      const reports = order === 'last' ? [sum, parts] : [parts, sum];
      for (const [index, entry] of reports.entries()) await book([entry], { message: index === 0 ? 'camt.054' : 'camt.053' });
      const differences = (await balances())['assets:differences'] ?? 0n;
      expect([await states(), differences]).toEqual(
        order === 'last' ? [['reversed', 'reversed', 'reversed'], 0n] : [['reversed', 'reversed', 'unmatched'], 1300n],
      );
    },
  );

  it('wait for the operator unless those that still count come to the debit exactly, and nothing contradicts', async () => {
    await book([batch()]);
    const entry = { reference: 'B1' };
    await book([takenBack({ ...entry, amount: '29.00' })]);
    await book([
      takenBack({ reference: 'D2', transactions: [{ amount: '30.00', refs: { UETR: uetr }, creditorIban: 'NL91ABNA0417164300' }] }),
    ]);
    expect(await states()).toEqual(['matched', 'matched', 'unmatched']);
    const [first] = await listUnexplainedDebits(at.ledger, 10);
    expect(first?.mayTakeBack.toSorted()).toEqual([1, 2, 3].map(reference));
  });
});

it('credits stay with their customers once an operator has undone a debit, also when its transactions are reported', async () => {
  await book([batch(), takenBack({ batch: '2', transactions: [{ refs: { UETR: uetr } }] })]);
  await undoReversal(at.ledger, debit, { reason: 'it was another entry', operator: 'jane' });
  const transactions = [uetr, otherUetr].map((UETR, index) => ({ amount: ['10.00', '20.00'][index] as string, refs: { UETR } }));
  await book([takenBack({ batch: '2', transactions })], { message: 'camt.054' });
  expect([await states(), await debitState()]).toEqual([['unmatched', 'unmatched', 'unmatched'], 'unexplained']);
});

describe('the report of a debit that takes credits back', () => {
  it('has a debit that contradicts another once, and none that took its credits back', async () => {
    await book([batch()]);
    const wrong = await book([takenBack({ reference: 'B1', amount: '29.99' })]);
    expect([wrong.unexplained, wrong.alerts.length]).toEqual([1, 1]);
    const other = await book([takenBack({ reference: 'B1', amount: '29.98' })]);
    expect([other.unexplained, other.alerts.length]).toEqual([1, 1]);
    expect(other.alerts[0]?.reason).toContain('was used before, for 29.99 EUR; it takes a credit back');
    const right = await book([takenBack({ reference: 'B1' })]);
    expect([right.unexplained, right.alerts.length]).toEqual([0, 3]);
  });

  it('names the debit of which another one may be a further report', async () => {
    await book([batch(), takenBack({ transactions: [{ amount: '30.00', refs: { UETR: uetr } }] })]);
    const report = await book([takenBack({ reference: 'D2', transactions: [{ amount: '30.00', refs: { UETR: uetr } }] })]);
    expect(report.alerts.map(({ reason }) => reason)).toEqual([
      expect.stringContaining(`another report of the debit ${debit}: then it is repeat-of`),
    ]);
    const part = await book([
      takenBack({ reference: 'D3', amount: '7.00', transactions: [{ amount: '7.00', refs: { UETR: otherUetr } }] }),
    ]);
    expect(part.alerts[0]?.reason).toContain(debit);
    expect((await listUnexplainedDebits(at.ledger, 10)).map(({ mayRepeat }) => mayRepeat[0])).toEqual([debit, debit]);
  });
});

describe('credits to whose entries the bank gives one reference', () => {
  it('wait for the operator when a debit has it', async () => {
    await book([...alike('10.00', 'A', 'B', 'C'), takenBack({ amount: '10.00', reference: 'B1' })]);
    const all = ['B1', 'B1#2', 'B1#3'].map((each) => `${masterIban}:${each}`);
    const statesOf = () => Promise.all(all.map(async (each) => (await at.credit(each)).state));
    expect([await statesOf(), await debitState()]).toEqual([['matched', 'matched', 'matched'], 'unexplained']);
    expect((await listUnexplainedDebits(at.ledger, 10))[0]?.mayTakeBack.toSorted()).toEqual(all);
  });

  it('are told apart by what the debit says', async () => {
    const transactions = [{ amount: '10.00', refs: { EndToEndId: 'B' } }];
    await book([...alike('10.00', 'A', 'B'), takenBack({ amount: '10.00', reference: 'B1', transactions })]);
    expect([await debitState(), (await at.credit(`${masterIban}:B1#2`)).state]).toEqual(['reversal', 'reversed']);
  });

  it('wait when one of them and all of another entry come to the debit', async () => {
    const [one] = alike('10.00', 'A');
    const two: EntrySpec = { ...one, transactions: ['4.00', '6.00'].map((amount) => payment(at.customer.iban, amount)) };
    await book([one as EntrySpec, two, takenBack({ amount: '10.00', reference: 'B1' })]);
    expect([await debitState(), (await creditOf('B1')).state]).toEqual(['unexplained', 'matched']);
  });
});

describe('a credit that may be the money of another', () => {
  it('is not taken back before an operator has decided, so that nothing stays issued for the other', async () => {
    const rent = payment(at.customer.iban, '10.00', { refs: { UETR: uetr } });
    await book([{ amount: '10.00', reference: 'N1', transactions: [rent] }]);
    await book([{ amount: '10.00', reference: 'S1', transactions: [rent] }, takenBack({ amount: '10.00', reference: 'S1' })]);
    const [held, other] = [`${masterIban}:S1`, `${masterIban}:N1`];
    expect([(await at.credit(held)).state, await debitState()]).toEqual(['unmatched', 'unexplained']);
    await repeatCredit(at.ledger, held);
    await takes('S1', other);
    expect([(await at.credit(other)).state, await debitState()]).toEqual(['reversed', 'explained']);
  });

  it.each([
    ['the UETR of both', [{ amount: '10.00', refs: { UETR: uetr } }]],
    ['the number of both', []],
  ])('leaves none proven to be what a debit with %s takes back', async (_, transactions) => {
    for (const EndToEndId of ['A', 'B']) {
      const paid = payment(at.customer.iban, '10.00', { refs: { UETR: uetr, EndToEndId } });
      await book([{ amount: '10.00', reference: 'S1', transactions: [paid] }]);
    }
    expect((await creditOf('S1~2026-11-20')).state).toBe('unmatched');
    await book([takenBack({ amount: '10.00', reference: 'S1', transactions })]);
    expect([(await creditOf('S1')).state, await debitState()]).toEqual(['matched', 'unexplained']);
  });

  it('is found to be the money of one that was taken back', async () => {
    const rent = payment(at.customer.iban, '10.00', { refs: { UETR: uetr } });
    await book([{ amount: '10.00', reference: 'N1', transactions: [rent] }, takenBack({ amount: '10.00', reference: 'N1' })]);
    await book([{ amount: '10.00', reference: 'S1', transactions: [rent] }]);
    await repeatCredit(at.ledger, `${masterIban}:S1`);
    expect((await creditOf('S1')).state).toBe('repeated');
    expect(await balances()).toEqual({});
  });
});

describe('a debit that the operator explains by credits', () => {
  it('takes several back whose amounts come to it', async () => {
    await book([batch(), takenBack({ amount: '17.00', reversal: false })]);
    const credits = [reference(2), reference(1)];
    await expect(takes('D1', ...credits, reference(3))).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('This does not explain the debit') as string,
    });
    await expect(takes('D1', reference(1), reference(1))).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('This does not explain the debit') as string,
    });
    await takes('D1', ...credits);
    expect([await states(), await debitState()]).toEqual([['reversed', 'reversed', 'unmatched'], 'explained']);
    expect(await balances()).toEqual({ 'liabilities:suspense': -1300n });
    await undoReversal(at.ledger, debit, { reason: 'they were others', operator: 'jane' });
    await takes('D1', ...credits);
    expect(await states()).toEqual(['reversed', 'reversed', 'unmatched']);
  });

  it('claims a part of one, which goes on as it is, until all of it is taken back', async () => {
    await book([batch(), takenBack({ amount: '5.00' }), takenBack({ amount: '9.00', reference: 'D2' })]);
    await takes('D1', reference(3));
    expect([await claims(), await states()]).toEqual([[`${debit} open 500`], ['matched', 'matched', 'unmatched']]);
    await expect(takes('D2', reference(3))).rejects.toThrow('8.00 of the credit');
    const { payment: id } = await returnCredit(at.ledger, reference(3), { name: 'Jane', iban: payerIban });
    await at.sendAll();
    await at.decide(id as string, 'AC04');
    expect([await claims(), await states()]).toEqual([[`${debit} open 500`], ['matched', 'matched', 'unmatched']]);
    await undoReversal(at.ledger, debit, { reason: 'it was a fee', operator: 'jane' });
    expect([await claims(), (await balances())['assets:differences']]).toEqual([[], 1400n]);
    await takes('D1', reference(1));
    await writeOffClaim(at.ledger, debit, 'lost');
    expect(await balances()).toMatchObject({ 'assets:differences': 900n, 'equity:operator': 500n, 'liabilities:issue': -1700n });
  });

  it('claims a part of one, which counts for the clearer report of its money', async () => {
    const money = { ...payment(at.customer.iban, '10.00', { refs: { UETR: uetr } }) };
    const { creditorIban: _, ...unclear } = money;
    await book([{ amount: '10.00', reference: 'N1', transactions: [unclear] }], { message: 'camt.054' });
    await book([takenBack({ amount: '4.00' })]);
    await takes('D1', `${masterIban}:N1`);
    await book([{ amount: '10.00', reference: 'S1', transactions: [money] }]);
    expect((await creditOf('N1')).state).toBe('matched');
    await book([takenBack({ amount: '10.00', reference: 'D2', transactions: [{ amount: '10.00', refs: { UETR: uetr } }] })]);
    await book([takenBack({ amount: '6.00', reference: 'D3' })]);
    const [second] = (await readView(debits, at.ledger, {}, 10)).rows;
    expect(second).toMatchObject({ reference: `${masterIban}:D2`, amount: '10.00', mayTakeBack: [`${masterIban}:N1`] });
    expect(second && debits.columns['what is known']?.(second)).toContain(`it may take ${masterIban}:N1 back: --as reversal-of:CREDIT`);
    await expect(takes('D2', `${masterIban}:N1`)).rejects.toThrow('or a part of it, back already');
    await takes('D3', `${masterIban}:N1`);
    expect(await claims()).toEqual([`${debit} open 400`, `${masterIban}:D3 open 600`]);
  });

  it('claims a part of a sum, which counts for the transactions that replace it', async () => {
    const { transactions: _, ...sum } = batch();
    await book([{ ...sum, batch: '3' }], { message: 'camt.054' });
    await book([takenBack({ amount: '5.00' })]);
    await takes('D1', `${masterIban}:B1`);
    await book([batch()]);
    await book([takenBack({ reference: 'B1' }), takenBack({ amount: '10.00', reference: 'D2', transactions: [{ refs: { UETR: uetr } }] })]);
    await book([takenBack({ amount: '20.00', reference: 'D3' }), takenBack({ amount: '8.00', reference: 'D4' })]);
    expect(await states()).toEqual(['matched', 'matched', 'unmatched']);
    const reversal = (of: string, ...credits: number[]) => takes(of, ...credits.map(reference));
    await expect(reversal('B1', 1, 2, 3)).rejects.toThrow('25.00 of the entry');
    await expect(reversal('D3', 2, 3)).resolves.toBeDefined();
    await expect(reversal('D2', 1)).rejects.toThrow('5.00 of the entry');
    await expect(reversal('D4', 1)).rejects.toThrow('5.00 of the entry');
    expect(await states()).toEqual(['matched', 'reversed', 'reversed']);
    await undoReversal(at.ledger, debit, { reason: 'it was a fee', operator: 'jane' });
    await reversal('D2', 1);
    expect(await states()).toEqual(['reversed', 'reversed', 'reversed']);
  });
});
