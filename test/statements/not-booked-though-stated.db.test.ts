import { describe, expect, it } from 'vitest';
import { undoAwaitedDebit } from '../../src/ledger/bank/returns/not-booked-debits.ts';
import { bankProblems } from '../../src/problems/bank-problems.ts';
import { type EntrySpec, masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';
import { bookings, operatorsDecision } from './bookings.ts';
import { sendPayouts } from './payouts-sent.ts';

const at = testPayments();
const { book, explain, balances } = bookings(at);

const debit = (amount: string, reference: string, bookedOn: string, more: Partial<EntrySpec>): EntrySpec => ({
  amount,
  reference,
  bookedOn,
  direction: 'DBIT',
  ...more,
});
const of = (endToEndId = ''): Partial<EntrySpec> => ({ transactions: [{ amount: '12.50', refs: { EndToEndId: endToEndId } }] });
const notify = (entry: EntrySpec) => book([entry], { message: 'camt.054' });
const state = (entry: EntrySpec, opening: string, closing: string) => book([entry], { day: entry.bookedOn ?? '', opening, closing });
const notBooked = (reference: string) => undoAwaitedDebit(at.ledger, `${masterIban}:${reference}`, operatorsDecision);
const repeatOf = (reference: string, ...of: string[]) =>
  explain(reference, { as: 'repeat-of', debits: of.map((name) => `${masterIban}:${name}`) });

/** Expects that no tokens are given back, the book agrees with the bank, and nothing waits for a statement. */
async function expectPaid(): Promise<void> {
  const orders = await at.ledger
    .selectFrom('orders')
    .where('givesBack', 'is not', null)
    .where('state', '<>', 'rejected')
    .select('id')
    .execute();
  const awaited = (await bankProblems(at.ledger)).filter(({ kind }) => kind === 'credits_awaited');
  const { 'assets:differences': differences } = await balances();
  expect([orders, differences, awaited]).toEqual([[], undefined, []]);
}
const opened = (day: string) => book([], { day, opening: '100.00', closing: '100.00' });

describe('that a debit was not booked as it was notified is refused while a statement lists its payment otherwise', () => {
  it('by itself, though the whole file was notified', async () => {
    const { payouts, messageId } = await sendPayouts(at, 2);
    await opened('2026-11-08');
    await notify(debit('25.00', 'F', '2026-11-09', { batch: '2', batchOf: messageId }));
    await state(debit('12.50', 'P1', '2026-11-19', of(payouts[0]?.endToEndId)), '100.00', '87.50');
    await state(debit('12.50', 'P2', '2026-11-20', of(payouts[1]?.endToEndId)), '87.50', '75.00');
    for (const reference of ['P1', 'P2']) {
      await expect(notBooked('F')).rejects.toThrow(`explain ${masterIban}:${reference} --as repeat-of:${masterIban}:F `);
      await repeatOf(reference, 'F');
    }
    await expectPaid();
  });

  it('with its file, though each was notified', async () => {
    const { payouts, messageId } = await sendPayouts(at, 2);
    await opened('2026-11-08');
    for (const [index, { endToEndId }] of payouts.entries()) await notify(debit('12.50', `N${index}`, '2026-11-09', of(endToEndId)));
    await state(debit('25.00', 'F', '2026-11-19', { batch: '2', batchOf: messageId }), '100.00', '75.00');
    for (const reference of ['N0', 'N1'])
      await expect(notBooked(reference)).rejects.toThrow(`--as repeat-of:${masterIban}:N0,${masterIban}:N1 `);
    await repeatOf('F', 'N0', 'N1');
    await expectPaid();
  });

  it('more than five days later', async () => {
    const { payouts } = await sendPayouts(at, 1);
    await opened('2026-11-09');
    await notify(debit('12.50', 'D', '2026-11-10', of(payouts[0]?.endToEndId)));
    await state(debit('12.50', 'E', '2026-11-19', of(payouts[0]?.endToEndId)), '100.00', '87.50');
    await expect(notBooked('D')).rejects.toThrow(`--as repeat-of:${masterIban}:D `);
    await repeatOf('E', 'D');
    await expectPaid();
  });
});

describe('what was given back as not booked is taken back once a statement lists its payment otherwise', () => {
  it.each([
    ['more than five days later', 1],
    ['with its file', 2],
  ])('%s', async (_, count) => {
    const { payouts, messageId } = await sendPayouts(at, count);
    const names = payouts.map((__, index) => `N${index}`);
    await opened('2026-11-09');
    for (const [index, { endToEndId }] of payouts.entries()) await notify(debit('12.50', `N${index}`, '2026-11-10', of(endToEndId)));
    for (const name of names) await notBooked(name);
    const listed = count === 1 ? of(payouts[0]?.endToEndId) : { batch: '2', batchOf: messageId };
    const { alerts } = await state(
      debit(count === 1 ? '12.50' : '25.00', 'S', '2026-11-19', listed),
      '100.00',
      count === 1 ? '87.50' : '75.00',
    );
    expect(alerts.filter(({ reason }) => reason.includes('THE BANK HAS BOOKED THE DEBIT'))).toHaveLength(count);
    const { problem } = await at.ledger
      .selectFrom('bankDebits')
      .where('state', '=', 'unexplained')
      .select('problem')
      .executeTakeFirstOrThrow();
    expect(problem).toContain(`--as repeat-of:${names.map((name) => `${masterIban}:${name}`).join(',')}\``);
    await repeatOf('S', ...names);
    await expectPaid();
  });
});
