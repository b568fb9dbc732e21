import { z } from 'zod';
import { requireAwaited, takeAwaitedBack } from '../../ledger/bank/claims/undo-reversal.ts';
import { formatAmount } from '../../platform/money.ts';
import { defineVerb } from '../verb.ts';
import { moneyText, partyText } from './money-text.ts';
import { takenBackText } from './standing-text.ts';

/** Takes a credit back that the bank has notified and not booked. */
export const notBooked = defineVerb({
  name: 'bank.not-booked',
  summary: 'say that the bank has not booked a credit that it has notified: it is not issued, or what was issued is a claim',
  command: 'bank not-booked <reference>',
  input: z.strictObject({
    reference: z.string().min(1).max(500).describe('reference of the credit in `mintrail status`'),
    reason: z.string().trim().min(1).max(500).describe('how you know; it is recorded'),
  }),
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  async describe({ ledger }, { reference, reason }) {
    const { amount, currency, payer } = await requireAwaited(ledger, reference);
    const effect = await takenBackText(ledger, reference);
    return `Take back ${moneyText(amount, currency)} from ${partyText(payer)}, notified as ${reference}, because the bank has not booked it. ${effect} Reason: ${reason}`;
  },
  async carryOut({ ledger, operator }, { reference: credit, reason }) {
    const { reference: debit, amount, currency } = await takeAwaitedBack(ledger, credit, { reason, operator: operator.name });
    return { credit, debit, amount: formatAmount(amount), currency, reason };
  },
  topics: ['bank', 'orders', 'status'],
});
