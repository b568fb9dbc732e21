import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { recoverClaim, writeOffClaim } from '../../src/ledger/bank/claims/claims.ts';
import { takeAwaitedBack, undoReversal } from '../../src/ledger/bank/claims/undo-reversal.ts';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { claims as openClaims } from '../../src/operations/bank/debit-views.ts';
import { readView } from '../../src/operations/view.ts';
import { listUnexplainedDebits } from '../../src/ledger/bank/debits/unexplained-debits.ts';
import { makePaymentsOfLegs } from '../../src/ledger/bank/payment-legs.ts';
import { matchCredit } from '../../src/ledger/bank/unmatched/match-unmatched.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { recordTransaction } from '../../src/ledger/lanes/transactions.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { boundsOf } from '../../src/problems/bounds.ts';
import { ledgerProblems } from '../../src/problems/ledger-problems.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { type EntrySpec, masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { payerIban, randomHash, testPayments } from '../ledger/bank/payments-ledger.ts';
import { claimReady } from '../support/claim-ready.ts';
import { creditOptions as options, payment } from './bank-rail.ts';
import { bookings, unassigned } from './bookings.ts';

const at = testPayments();
const { book, explain, creditOf, debitState, balances } = bookings(at);

const refs = { EndToEndId: 'INV-7', UETR: '3a1f0c52-7d4e-4b6a-9c8d-0e1f2a3b4c5d' };
const otherRefs = { EndToEndId: 'INV-8', UETR: '8b2e1d63-6c5f-4a7b-8d9e-1f0a3b2c5d4e' };
const arrival = (iban = at.customer.iban, more: Partial<EntrySpec> = {}): EntrySpec => ({
  amount: '9.00',
  reference: 'C1',
  transactions: [payment(iban, '9.00', { refs })],
  ...more,
});
/** The bank takes it back by a reversal; the parties are those of the original. */
const reversal = (more: Partial<EntrySpec> = {}): EntrySpec => ({
  amount: '9.00',
  reference: 'D1',
  direction: 'DBIT',
  reversal: true,
  transactions: [{ amount: '9.00', refs }],
  ...more,
});
/** A payment that says of its payer what another one says. */
const equal = (creditorIban?: string): EntrySpec => ({
  amount: '9.00',
  transactions: [
    { amount: '9.00', payer: { iban: payerIban }, ...(creditorIban !== undefined && { creditorIban }), refs: { EndToEndId: 'RENT' } },
  ],
});
const signer = lowerAddress(`0x${'5'.repeat(40)}`);

const credit = (reference = 'C1') => creditOf(reference);
const claims = async () => (await at.ledger.selectFrom('claims').selectAll().execute()).map(({ state, amount }) => `${state} ${amount}`);

const claim = () => claimReady(at.ledger, { chain: 'chiado', signer, limit: 100, tokens: { eur: `0x${'7'.repeat(40)}` } });

/** Puts claimed legs into a transaction, as a lane does. */
function send(claimed: Awaited<ReturnType<typeof claim>>) {
  const attempt = { hash: randomHash(), raw: '0x', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const facts = { chain: 'chiado', signer, nonce: 1n, kind: 'issue', currency: 'eur', gasLimit: 1n, sentAtBlock: 1n } as const;
  return recordTransaction(at.ledger, { ...facts, attempt, legs: claimed.map(({ id }) => id) });
}

describe('a credit that the bank takes back', () => {
  it('is not issued when no transaction carries it yet, also not by a lane that has just claimed it', async () => {
    await book([arrival()]);
    const order = (await credit()).orderId as string;
    const claimed = await claim();
    const report = await book([reversal()]);
    expect(report).toMatchObject({
      unexplained: 0,
      alerts: [{ reason: expect.stringContaining(`THE BANK TOOK THE CREDIT ${masterIban}:C1 BACK (order ${order}): nothing was issued`) }],
    });
    expect(await at.legs(order)).toBe('issue void');
    expect(await at.order(order)).toMatchObject({ state: 'rejected', rejectedReason: 'the bank took the credit back: reversal' });
    expect((await credit()).state).toBe('reversed');
    expect(await debitState()).toBe('reversal');
    await expect(send(claimed)).rejects.toMatchObject({ code: 'claim_lost' });
    expect(await balances()).toEqual({});
    const again = await book([reversal()], { message: 'camt.054' });
    expect(again.alerts).toEqual([]);
    await expect(returnCredit(at.ledger, `${masterIban}:C1`)).rejects.toMatchObject({ code: 'credit_not_unmatched' });
  });

  it.each([
    ['by the return of the payment that we received', { reversal: false, transactions: [{ amount: '9.00', refs, returnReason: 'CUST' }] }],
    ['by a return code of the entry', { reversal: false, code: ['RCDT', 'RRTN'] as [string, string] }],
    ['by the reference of its entry', { reference: 'C1', transactions: [{ amount: '9.00' }] }],
    ['as a whole, by its reference', { reference: 'C1', transactions: [] }],
  ])('is recognised %s', async (_, more) => {
    await book([arrival(unassigned)]);
    await book([reversal(more)]);
    expect([(await credit()).state, await debitState()]).toEqual(['reversed', 'reversal']);
    expect(await balances()).toEqual({});
  });

  it('is never issued when both are in one file, or the debit is imported first', async () => {
    await book([reversal(), arrival()]);
    expect(await at.order((await credit()).orderId as string)).toMatchObject({ state: 'rejected' });
    await book([reversal({ reference: 'D2', transactions: [{ amount: '9.00', refs: otherRefs }] })]);
    await book([arrival(at.customer.iban, { reference: 'C2', transactions: [payment(at.customer.iban, '9.00', { refs: otherRefs })] })]);
    expect((await credit('C2')).state).toBe('reversed');
    expect(await balances()).toEqual({});
  });

  it.each([
    ['the debit', () => [[arrival()], [reversal()]]],
    ['the credit', () => [[reversal()], [arrival()]]],
  ])('is not issued however many reversals wait when %s is imported', async (_, files) => {
    await sql`
      insert into bank_debits (reference, account, currency, amount, booked_on, source, state, takes_back, received_at)
      select 'old ' || n, ${masterIban}, 'eur', n, '2026-01-01', 'test', 'unexplained', 'return', now() - interval '1 day' from generate_series(1, 501) n
    `.execute(at.ledger);
    for (const entries of files()) await book(entries);
    expect([(await credit()).state, await at.legs((await credit()).orderId as string)]).toEqual(['reversed', 'issue void']);
    await sql`delete from bank_debits where source = 'test'`.execute(at.ledger);
  });

  it('becomes a claim when its tokens are issued, which a later credit makes good', async () => {
    await book([arrival()]);
    await at.settle((await credit()).orderId as string, 'issue', randomHash());
    await book([reversal()]);
    expect(await claims()).toEqual(['open 900']);
    expect(await balances()).toEqual({ 'assets:claims': 900n, 'liabilities:tokens:chiado': -900n });
    const problems = await ledgerProblems(at.ledger, boundsOf(loadSettings({ DATABASE_URL: 'postgres://unused' }), new Date()));
    expect(problems).toMatchObject([{ kind: 'claims_open', subject: 'eur', text: expect.stringContaining('9.00 EUR are not recovered') }]);
    await book([arrival(unassigned, { reference: 'P1', amount: '4.00', transactions: [payment(unassigned, '4.00')] })]);
    await book([arrival(unassigned, { reference: 'P2', amount: '6.00', transactions: [payment(unassigned, '6.00')] })]);
    const debit = `${masterIban}:D1`;
    expect(await recoverClaim(at.ledger, debit, `${masterIban}:P1`)).toEqual({ reversal: debit, rest: 500n });
    await expect(recoverClaim(at.ledger, debit, `${masterIban}:P2`)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('cannot make the claim good') as string,
    });
    expect((await readView(openClaims, at.ledger, {}, 10)).rows).toMatchObject([{ claim: debit, amount: '9.00', recovered: '4.00' }]);
    expect(await writeOffClaim(at.ledger, debit, 'the customer is insolvent')).toEqual({ reversal: debit, rest: 500n });
    await expect(writeOffClaim(at.ledger, debit, 'again')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('lists those that are open') as string,
    });
    expect(await balances()).toEqual({
      'equity:operator': 500n,
      'liabilities:suspense': -600n,
      'liabilities:tokens:chiado': -900n,
    });
  });

  it.each([
    ['is issued', null, ['open 900'], 'matched'],
    ['the token refuses', 'account is blocked', ['void 900'], 'reversed'],
  ])('while its leg is sent waits for the outcome: it %s', async (_, refused, expected, state) => {
    await book([arrival()]);
    const order = (await credit()).orderId as string;
    await send(await claim());
    await book([reversal()]);
    expect(await claims()).toEqual(['pending 900']);
    await at.settle(order, 'issue', randomHash(), refused);
    expect(await claims()).toEqual(expected);
    expect((await credit()).state).toBe(state);
    expect(await at.legs(order)).toBe(refused === null ? 'issue done' : 'issue refused');
    expect((await balances())['assets:claims']).toBe(refused === null ? 900n : undefined);
  });

  it('is not returned to its payer when its return is not sent yet', async () => {
    await book([arrival()]);
    const order = (await credit()).orderId as string;
    await at.settle(order, 'issue', randomHash(), 'account is blocked');
    await book([reversal()]);
    expect(await at.legs(order)).toBe('issue refused, return void');
    expect((await credit()).state).toBe('reversed');
    expect(await balances()).toEqual({});
  });

  it.each([
    ['is ready', async () => {}, 'reversed', []],
    ['is sent and then refused', async () => at.sendAll(), 'reversed', ['void 900']],
    ['is sent and then made', async () => at.sendAll(), 'returned', ['open 900']],
  ])('while its return by the operator %s', async (name, before, state, expected) => {
    await book([arrival(unassigned)]);
    const { payment: id } = await returnCredit(at.ledger, `${masterIban}:C1`);
    await before();
    await book([reversal()]);
    if (name !== 'is ready') await at.decide(id as string, name.endsWith('refused') ? 'AC04' : null);
    expect([(await credit()).state, await claims()]).toEqual([state, expected]);
    await makePaymentsOfLegs(at.ledger, 10);
    expect((await at.payments()).filter(({ state: paid }) => paid === 'ready')).toEqual([]);
  });

  it('while its return by hand is not booked is returned by that, and is no claim', async () => {
    await book([arrival(unassigned, { transactions: [payment(unassigned, '9.00', { refs, payer: { name: 'Jane' } })] })]);
    await returnCredit(at.ledger, `${masterIban}:C1`);
    await book([reversal()]);
    expect([(await credit()).state, await claims()]).toEqual(['reversed', []]);
    expect(await balances()).toEqual({});
  });

  it('and that had brought a payout of ours back leaves its tokens burnt', async () => {
    const { id, order } = await at.sentPayout();
    const own = { EndToEndId: id.replaceAll('-', ''), UETR: refs.UETR };
    await book([{ amount: '12.50', direction: 'DBIT', reference: 'P1', transactions: [{ amount: '12.50', refs: own }] }]);
    await book([{ amount: '12.50', reference: 'R1', transactions: [{ amount: '12.50', refs: own, returnReason: 'AC04' }] }]);
    const { orderId } = await credit('R1');
    await book([reversal({ amount: '12.50', transactions: [{ amount: '12.50', refs: own }] })]);
    expect([(await at.order(order)).state, (await at.order(orderId as string)).state, (await credit('R1')).state]).toEqual([
      'processed',
      'rejected',
      'reversed',
    ]);
    // It is returned once more, and by that for the first time.
    await book([
      { amount: '12.50', reference: 'R2', transactions: [{ amount: '12.50', refs: { EndToEndId: own.EndToEndId }, returnReason: 'AC04' }] },
    ]);
    expect((await credit('R2')).state).toBe('matched');
  });

  it('is not taken back by the EndToEndId alone, which a payer chooses: the operator names the credit', async () => {
    const shared = { EndToEndId: 'RENT' };
    await book([
      arrival(at.customer.iban, { transactions: [payment(at.customer.iban, '9.00', { refs: shared, payer: { iban: payerIban } })] }),
      arrival(unassigned, { reference: 'C2', transactions: [payment(unassigned, '9.00', { refs: shared })] }),
    ]);
    const takes = reversal({ transactions: [{ amount: '9.00', refs: shared }] });
    const report = await book([takes]);
    expect(report).toMatchObject({
      unexplained: 1,
      alerts: [{ reason: expect.stringContaining(`it may be ${masterIban}:C1 or ${masterIban}:C2`) }],
    });
    expect(await listUnexplainedDebits(at.ledger, 10)).toMatchObject([{ mayTakeBack: [`${masterIban}:C1`, `${masterIban}:C2`] }]);
    await explain('D1', { as: 'reversal-of', credits: [`${masterIban}:C2`] });
    expect([(await credit()).state, (await credit('C2')).state]).toEqual(['matched', 'reversed']);
    // A second report of the debit takes no other credit of the same EndToEndId.
    await book([{ ...takes, reference: 'D9' }, arrival(unassigned, { reference: 'C3' })]);
    expect([(await credit()).state, (await credit('C3')).state]).toEqual(['matched', 'unmatched']);
    expect(await balances()).toEqual({ 'assets:differences': 900n, 'liabilities:issue': -900n, 'liabilities:suspense': -900n });
  });

  it.each([
    ['another UETR', { reference: 'C1', transactions: [{ amount: '9.00', refs: otherRefs }] }],
    ['another EndToEndId', { transactions: [{ amount: '9.00', refs: { ...refs, EndToEndId: 'INV-8' } }] }],
    ["an account that is not the payer's", { transactions: [{ amount: '9.00', refs, creditorIban: unassigned }] }],
  ])('is not taken back by a debit that says otherwise: %s', async (_, more) => {
    await book([arrival(at.customer.iban, { transactions: [payment(at.customer.iban, '9.00', { refs, payer: { iban: payerIban } })] })]);
    await book([reversal(more)]);
    expect([(await credit()).state, await debitState()]).toEqual(['matched', 'unexplained']);
  });

  it('is not taken back by the number of another day, which a bank that counts anew each day gives again', async () => {
    await book([arrival(at.customer.iban, { reference: '000002', transactions: [payment(at.customer.iban, '9.00')] })]);
    const takes = reversal({ reference: '000002', bookedOn: '2026-11-21', transactions: [{ amount: '9.00' }] });
    await book([arrival(unassigned, { reference: '000001', bookedOn: '2026-11-21', transactions: [payment(unassigned, '9.00')] }), takes]);
    expect([(await credit('000002')).state, await debitState()]).toEqual(['matched', 'unexplained']);
    expect(await listUnexplainedDebits(at.ledger, 10)).toMatchObject([{ mayTakeBack: [`${masterIban}:000002`] }]);
  });

  it.each([
    ['of another customer waits for the operator, as nothing says whose the statement means', unassigned, 'unexplained'],
    ['of the same customer is taken back', undefined, 'reversal'],
  ])('by its number in a statement that names no creditor, beside an equal payment %s', async (_, other = at.customer.iban, state) => {
    await book([equal(at.customer.iban), equal(other)], { message: 'camt.054' });
    const listed = ['S1', 'S2'].map((reference) => Object.assign(equal(), { reference }));
    await book(listed);
    await book([reversal({ reference: 'S1', transactions: [] })]);
    expect(await debitState()).toBe(state);
  });

  it('by mistake is unmatched again once an operator undoes that, and the debit can be explained by another credit', async () => {
    await book([arrival()]);
    const { orderId } = await credit();
    await book([reversal()]);
    const debit = `${masterIban}:D1`;
    const decision = { reason: 'it was C2', operator: 'jane' };
    expect(await undoReversal(at.ledger, debit, decision)).toMatchObject({ credits: [{ credit: `${masterIban}:C1`, isUnmatched: true }] });
    expect(await balances()).toEqual({ 'assets:differences': 900n, 'liabilities:suspense': -900n });
    await expect(undoReversal(at.ledger, debit, decision)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('No credit was taken back by the debit') as string,
    });
    // The next file does not take it back again.
    await book([reversal(), arrival(unassigned, { reference: 'C2', transactions: [payment(unassigned, '9.00')] })]);
    expect([(await credit()).state, await debitState()]).toEqual(['unmatched', 'unexplained']);
    const matched = await matchCredit(at.ledger, `${masterIban}:C1`, { ...options, source: 'test' });
    expect(matched.orderId).not.toBe(orderId);
    await explain('D1', { as: 'reversal-of', credits: [`${masterIban}:C2`] });
    await undoReversal(at.ledger, debit, decision);
    expect((await credit('C2')).state).toBe('unmatched');
    expect(await balances()).toEqual({ 'assets:differences': 900n, 'liabilities:issue': -900n, 'liabilities:suspense': -900n });
  });

  it('by mistake has no claim any more once an operator undoes that, unless something is recovered', async () => {
    await book([arrival()]);
    await at.settle((await credit()).orderId as string, 'issue', randomHash());
    await book([reversal()]);
    const debit = `${masterIban}:D1`;
    const decision = { reason: 'the bank took another one back', operator: 'jane' };
    expect(await undoReversal(at.ledger, debit, decision)).toMatchObject({ credits: [{ isUnmatched: false }] });
    expect([(await credit()).state, await claims(), await debitState()]).toEqual(['matched', [], 'unexplained']);
    expect(await balances()).toEqual({ 'assets:differences': 900n, 'liabilities:tokens:chiado': -900n });
    await explain('D1', { as: 'reversal-of', credits: [`${masterIban}:C1`] });
    await writeOffClaim(at.ledger, debit, 'lost');
    await expect(undoReversal(at.ledger, debit, decision)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('cannot be undone') as string,
    });
  });

  it('by a debit of an earlier file is reported when the credit arrives', async () => {
    await book([reversal()]);
    const report = await book([arrival()]);
    expect(report.alerts).toMatchObject([
      { reference: `${masterIban}:D1`, reason: expect.stringContaining('by a debit of an earlier file') },
    ]);
  });
});

describe('a notified credit that an operator took back as not booked', () => {
  const decision = { reason: 'the bank says so', operator: 'jane' };
  const reference = `${masterIban}:C1`;
  const notBooked = () => takeAwaitedBack(at.ledger, reference, decision);

  it('waits again once a statement lists it, or the operator undoes that, and can be matched', async () => {
    await book([arrival()], { message: 'camt.054' });
    await notBooked();
    await undoReversal(at.ledger, `${reference}#not-booked`, decision);
    expect([(await credit()).state, await listUnexplainedDebits(at.ledger, 10), await balances()]).toEqual([
      'unmatched',
      [],
      { 'liabilities:suspense': -900n },
    ]);
    await notBooked();
    const report = await book([arrival()], { opening: '0.00', closing: '9.00' });
    expect(report.alerts).toMatchObject([{ reference, reason: expect.stringContaining(`for \`mintrail bank match ${reference}\``) }]);
    expect((await matchCredit(at.ledger, reference, { ...options, source: 'operator' })).orderId).toBeDefined();
    expect(await listUnexplainedDebits(at.ledger, 10)).toEqual([]);
    expect(await compareBookWithBank(at.ledger)).toMatchObject([{ expected: 900n, actual: 900n, items: [], difference: 0n }]);
  });

  it('and that is issued loses its claim once a statement lists it, unless that was settled', async () => {
    await book([arrival()], { message: 'camt.054' });
    await at.settle((await credit()).orderId as string, 'issue', randomHash());
    await notBooked();
    expect(await claims()).toEqual(['open 900']);
    const report = await book([arrival()], { opening: '0.00', closing: '9.00' });
    expect(report.alerts).toMatchObject([{ reference, reason: expect.stringContaining('its claim has ended') }]);
    expect([(await credit()).state, await claims(), await balances()]).toEqual(['matched', [], { 'liabilities:tokens:chiado': -900n }]);
    const later = arrival(at.customer.iban, { reference: 'C2', transactions: [payment(at.customer.iban, '9.00', { refs: otherRefs })] });
    await book([later], { message: 'camt.054' });
    await at.settle((await credit('C2')).orderId as string, 'issue', randomHash());
    const { reference: debit } = await takeAwaitedBack(at.ledger, `${masterIban}:C2`, decision);
    await writeOffClaim(at.ledger, debit, 'lost');
    expect((await book([later])).alerts).toMatchObject([{ reason: expect.stringContaining(`its claim ${debit} was settled before`) }]);
  });

  it('is not what a statement lists under another number without proof: that is other money', async () => {
    const plain = (number: string) => arrival(at.customer.iban, { reference: number, transactions: [payment(at.customer.iban, '9.00')] });
    await book([plain('C1')], { message: 'camt.054' });
    await notBooked();
    const other = plain('S9');
    const report = await book([other], { opening: '0.00', closing: '9.00' });
    expect([report.alerts, report.counts]).toMatchObject([[], { issued: 1, known: 0 }]);
    await book([plain('N9')], { message: 'camt.054', id: 'later' });
    expect([(await credit()).state, (await credit('S9')).state]).toEqual(['reversed', 'matched']);
    expect(await compareBookWithBank(at.ledger)).toMatchObject([{ expected: 900n, actual: 900n, difference: 0n }]);
  });
});
