import { expect, it } from 'vitest';
import { requireAwaitedDebit } from '../../src/ledger/bank/returns/not-booked-debits.ts';
import { bankProblems } from '../../src/problems/bank-problems.ts';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { type EntrySpec, masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';
import { bookings } from './bookings.ts';
import { sendPayouts } from './payouts-sent.ts';
import { permutations } from './every-order.ts';

const at = testPayments();
const { book, explain } = bookings(at);

const bookedOn = '2026-11-19';
const single = (reference: string, EndToEndId = ''): EntrySpec => ({
  amount: '12.50',
  direction: 'DBIT',
  bookedOn,
  reference,
  transactions: [{ amount: '12.50', refs: { EndToEndId } }],
});
const sum = (reference: string, amount: string, batch: string, batchOf: string): EntrySpec => ({
  amount,
  direction: 'DBIT',
  bookedOn,
  reference,
  batch,
  batchOf,
});
/** References of debits that wait, amounts by which the book differs from the bank, and what status awaits in a statement. */
async function leftOver() {
  const waiting = await at.ledger.selectFrom('bankDebits').where('state', '=', 'unexplained').select('reference').execute();
  const awaited = (await bankProblems(at.ledger)).filter(({ kind }) => kind === 'credits_awaited');
  const differences = (await compareBookWithBank(at.ledger)).flatMap(({ difference }) => (difference === 0n ? [] : [difference]));
  return { waiting, awaited, differences };
}
const notify = (entry: EntrySpec) => book([entry], { message: 'camt.054' });

it.each(permutations(['N0', 'N1', 'F']).map((order) => order.join(', ')))(
  'a file that is notified in a message for each payment, and stated in one sum, is booked once: in the order %s',
  async (order) => {
    const { payouts, messageId } = await sendPayouts(at, 2);
    await book([], { day: '2026-11-18', opening: '100.00', closing: '100.00' });
    const steps: Record<string, () => Promise<unknown>> = {
      N0: () => notify(single('N0', payouts[0]?.endToEndId)),
      N1: () => notify(single('N1', payouts[1]?.endToEndId)),
      F: () => book([sum('F', '25.00', '2', messageId)], { day: bookedOn, opening: '100.00', closing: '75.00' }),
    };
    for (const step of order.split(', ')) await steps[step]?.();
    await book([], { day: '2026-11-27', opening: '75.00', closing: '75.00' });
    expect(await leftOver()).toEqual({ waiting: [], awaited: [], differences: [] });
  },
);

it.each(permutations(['N0', 'F', 'again']).map((order) => order.join(', ')))(
  'a file of which only some payments are notified, and that is stated in one sum, is booked once: in the order %s',
  async (order) => {
    const { payouts, messageId } = await sendPayouts(at, 3);
    await book([], { day: '2026-11-18', opening: '100.00', closing: '100.00' });
    const steps: Record<string, () => Promise<unknown>> = {
      N0: () => notify(single('N0', payouts[0]?.endToEndId)),
      F: () => book([sum('F', '37.50', '3', messageId)], { day: bookedOn, opening: '100.00', closing: '62.50' }),
      again: () => notify({ ...single('N0', payouts[0]?.endToEndId) }),
    };
    for (const step of order.split(', ')) await steps[step]?.();
    await book([], { day: '2026-11-27', opening: '62.50', closing: '62.50' });
    expect(await leftOver()).toEqual({ waiting: [], awaited: [], differences: [] });
    expect((await at.payments()).map(({ bookedOn: on }) => on)).toEqual([bookedOn, bookedOn, bookedOn]);
  },
);

it('a file of which only some payments are notified, and that is stated with a fee, is explained as its payments', async () => {
  const { payouts, messageId } = await sendPayouts(at, 2);
  await book([], { day: '2026-11-18', opening: '100.00', closing: '100.00' });
  await notify(single('N0', payouts[0]?.endToEndId));
  await book([sum('F', '25.10', '2', messageId)], { day: bookedOn, opening: '100.00', closing: '74.90' });
  await expect(requireAwaitedDebit(at.ledger, `${masterIban}:N0`)).rejects.toThrow(
    `mintrail bank explain ${masterIban}:F --as payment:${payouts
      .map(({ id }) => id)
      .toSorted()
      .join(',')} `,
  );
  await explain('F', { as: 'payment', payments: payouts.map(({ id }) => id), isWithFee: true });
  expect(await leftOver()).toEqual({ waiting: [], awaited: [], differences: [] });
});

it.each(permutations(['F', 'S0', 'S1']).map((order) => order.join(', ')))(
  'a file that is notified in one sum, and stated payment by payment on two days, is booked once: in the order %s',
  async (order) => {
    const { payouts, messageId } = await sendPayouts(at, 2);
    await book([], { day: '2026-11-18', opening: '100.00', closing: '100.00' });
    const next = '2026-11-20';
    const steps: Record<string, () => Promise<unknown>> = {
      F: () => notify(sum('F', '25.00', '2', messageId)),
      S0: () => book([single('S0', payouts[0]?.endToEndId)], { day: bookedOn, opening: '100.00', closing: '87.50' }),
      S1: () => book([{ ...single('S1', payouts[1]?.endToEndId), bookedOn: next }], { day: next, opening: '87.50', closing: '75.00' }),
    };
    for (const step of order.split(', ')) await steps[step]?.();
    // Nothing shows that the sum is no second booking of what a statement has listed.
    if (!order.startsWith('F')) await explain('F', { as: 'repeat-of', debits: [`${masterIban}:S0`, `${masterIban}:S1`] });
    await book([], { day: '2026-11-27', opening: '75.00', closing: '75.00' });
    expect(await leftOver()).toEqual({ waiting: [], awaited: [], differences: [] });
  },
);

it('a file of one payment that is notified as a sum is its payment, and no payment of another file over the same amount', async () => {
  const first = await sendPayouts(at, 1);
  const second = await sendPayouts(at, 2);
  await book([], { day: '2026-11-18', opening: '100.00', closing: '100.00' });
  const mine = first.payouts[0]?.endToEndId ?? '';
  const others = second.payouts.filter(({ endToEndId }) => endToEndId !== mine);
  const batch = {
    ...sum('B', '25.00', '2', second.messageId),
    transactions: others.map(({ endToEndId: EndToEndId }) => ({ amount: '12.50', refs: { EndToEndId } })),
  };
  await notify(sum('N', '12.50', '1', first.messageId));
  await notify(batch);
  await book([single('S', mine), batch], { day: bookedOn, opening: '100.00', closing: '62.50' });
  expect((await at.payments()).map(({ state, bookedOn: on }) => `${state} ${on}`)).toEqual(
    Array.from({ length: 3 }, () => `accepted ${bookedOn}`),
  );
  expect(await leftOver()).toEqual({ waiting: [], awaited: [], differences: [] });
});
