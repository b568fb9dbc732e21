import { z } from 'zod';
import { isAwaitedCredit, requireAwaited, takeAwaitedBack } from '../../ledger/bank/claims/undo-reversal.ts';
import { requireAwaitedDebit, undoAwaitedDebit } from '../../ledger/bank/returns/not-booked-debits.ts';
import { rehearse } from '../../ledger/ledger.ts';
import { formatAmount } from '../../platform/money.ts';
import { defineVerb } from '../verb.ts';
import { moneyText, partyText } from './money-text.ts';
import { takenBackText } from './standing-text.ts';

/** Takes a credit back, or undoes a debit, that the bank has notified and not booked. */
export const notBooked = defineVerb({
  name: 'bank.not-booked',
  summary:
    'say that the bank has not booked a credit or a debit that it has notified: a credit is not issued, or what was issued is a claim; a payment of ours is given back',
  command: 'bank not-booked <reference>',
  input: z.strictObject({
    reference: z.string().min(1).max(500).describe('reference of the credit or debit in `mintrail status`'),
    reason: z.string().trim().min(1).max(500).describe('how you know; it is recorded'),
  }),
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  async describe({ ledger, operator }, { reference, reason }) {
    if (!(await isAwaitedCredit(ledger, reference))) {
      const { amount, currency, account, payments } = await requireAwaitedDebit(ledger, reference);
      // Refused here already if a payment cannot be given back.
      await rehearse(ledger, (tx) => undoAwaitedDebit(tx, reference, { reason, operator: operator.name }));
      const effect = payments.length === 0 ? '' : ` The payments ${payments.join(', ')} are given back as if their money had come back.`;
      return `Undo the debit ${reference} of ${moneyText(amount, currency)} on ${account}, because the bank has not booked it.${effect} Reason: ${reason}`;
    }
    const { amount, currency, payer } = await requireAwaited(ledger, reference);
    const effect = await takenBackText(ledger, reference);
    return `Take back ${moneyText(amount, currency)} from ${partyText(payer)}, notified as ${reference}, because the bank has not booked it. ${effect} Reason: ${reason}`;
  },
  async carryOut({ ledger, operator }, { reference: credit, reason }) {
    const decision = { reason, operator: operator.name };
    if (!(await isAwaitedCredit(ledger, credit))) {
      const undone = await undoAwaitedDebit(ledger, credit, decision);
      return { credit: null, debit: credit, amount: formatAmount(undone.amount), currency: undone.currency, reason };
    }
    const { reference: debit, amount, currency } = await takeAwaitedBack(ledger, credit, decision);
    return { credit, debit, amount: formatAmount(amount), currency, reason };
  },
  topics: ['bank', 'orders', 'status'],
});
