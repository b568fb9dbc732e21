import { z } from 'zod';
import { payoutSent, rejectPayout, requirePayout, undecidedStates } from '../../ledger/bank/payments.ts';
import { giveContradictedBack, requireContradicted } from '../../ledger/bank/returns/contradicted-payouts.ts';
import { StopError } from '../../platform/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { defineVerb } from '../verb.ts';
import { moneyText } from './money-text.ts';

/** Refuses a payout that the bank will not carry out: the tokens are given back. */
export const rejectPayment = defineVerb({
  name: 'bank.reject-payment',
  summary: 'refuse a payout after the bank has confirmed that it will not pay: the tokens are given back',
  command: 'payments reject <payment> <reason>',
  input: z.strictObject({
    payment: z.uuid().describe('id of the payment or of its order'),
    // A payout that was not sent may be by the time a second person approves.
    state: z
      .enum([...undecidedStates, 'accepted'])
      .describe('do it only in this state, the one that you have seen; by default its present one'),
    reason: z.string().trim().min(1).max(500).describe('reason, which the customer reads'),
  }),
  shown: ['state'],
  async readShown({ ledger }, { payment = '' }) {
    const { state } = await requireUndecided(ledger, payment);
    return { state };
  },
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  async describe({ ledger }, { payment, state: seen, reason }) {
    const { id, state, amount, currency, payee, iban, orderId } = await requireUndecided(ledger, payment);
    if (state === 'sent' && seen === 'ready') throw payoutSent(payment);
    if (state === 'accepted' && seen !== 'accepted') throw payoutSent(payment);
    const sent =
      state === 'accepted'
        ? ' The bank had reported it as carried out, has rejected it since, and lists it in no statement.'
        : state === 'sent'
          ? ' It was handed to the bank, which must have confirmed that it does not pay.'
          : '';
    return `Refuse the payout ${id} of ${moneyText(amount, currency)} to ${payee} (${iban}), and give the tokens of order ${orderId} back.${sent} The customer reads: ${reason}`;
  },
  async carryOut({ ledger }, { payment, state, reason }) {
    if (state === 'accepted') return { ...(await giveContradictedBack(ledger, payment, reason)) };
    return { ...(await rejectPayout(ledger, payment, reason, [state])) };
  },
  topics: ['bank', 'orders', 'status'],
});

/** A payout that the bank has not decided, or has rejected after it had accepted it, by its id or its order's. Throws `unknown_payout` and `payout_decided`. */
async function requireUndecided(ledger: Ledger, id: string) {
  const payout = await requirePayout(ledger, id);
  const { state } = payout;
  if (state === 'ready' || state === 'sent') return { ...payout, state };
  if (state === 'accepted') {
    await requireContradicted(ledger, payout.id);
    return { ...payout, state };
  }
  throw new StopError({ code: 'payout_decided', message: `The payout ${payout.id} is ${state} already` });
}
