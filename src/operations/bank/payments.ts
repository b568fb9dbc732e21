import { z } from 'zod';
import { findPayout, payoutSent, rejectPayout, undecidedStates } from '../../ledger/bank/payments.ts';
import { StopError } from '../../platform/errors.ts';
import { defineVerb } from '../verb.ts';
import { moneyText } from './money-text.ts';

/** Refuses a payout that the bank will not carry out, as `mintrail payments reject` does: the tokens are given back. */
export const rejectPayment = defineVerb({
  name: 'bank.reject-payment',
  // The state as the operator saw it: a payout that was not sent may be by the time a second person approves.
  input: z.strictObject({ payment: z.uuid(), state: z.enum(undecidedStates), reason: z.string().trim().min(1).max(500) }),
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  async describe({ ledger }, { payment, state: seen, reason }) {
    const payout = await findPayout(ledger, payment);
    if (payout === undefined) throw new StopError({ code: 'unknown_payout', message: `There is no payout ${payment}` });
    const { state, amount, currency, payee, iban, orderId } = payout;
    if (state !== 'ready' && state !== 'sent')
      throw new StopError({ code: 'payout_decided', message: `The payout ${payment} is ${state} already` });
    if (state === 'sent' && seen === 'ready') throw payoutSent(payment);
    const sent = state === 'sent' ? ' It was handed to the bank, which must have confirmed that it does not pay.' : '';
    return `Refuse the payout ${payment} of ${moneyText(amount, currency)} to ${payee} (${iban}), and give the tokens of order ${orderId} back.${sent} The customer reads: ${reason}`;
  },
  async carryOut({ ledger }, { payment, state, reason }) {
    return { ...(await rejectPayout(ledger, payment, reason, [state])) };
  },
  topics: ['bank', 'orders', 'status'],
});
