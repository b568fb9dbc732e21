import { z } from 'zod';
import { listRecalls } from '../../ledger/bank/recalls/recalls.ts';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { recallBody } from '../../statements/recalls/recall-body.ts';
import { defineView } from '../view.ts';

/** Payments whose return banks ask for. */
export const recalls = defineView({
  name: 'bank.recalls',
  summary: 'list the payments whose return banks ask for, with the credits that they may be about, the oldest first',
  command: 'bank recalls',
  roles: operatorRoles,
  input: z.object({}),
  limit: { usual: 1_000, most: 10_000 },
  async read(ledger, { limit }) {
    const open = await listRecalls(ledger, limit);
    return open.map(recallBody);
  },
  columns: {
    recall: ({ id }) => id,
    'answer by': ({ answerBy }) => answerBy,
    amount: ({ amount }) => amount,
    currency: ({ currency }) => currency?.toUpperCase() ?? '',
    payer: ({ payerName, payerIban }) => payerName ?? payerIban ?? '',
    reason: ({ reason }) => reason ?? '',
    credit: creditsText,
  },
  empty: 'No recalls.',
});

function creditsText({ id, answeredAt, credits, isOfWholeMessage, payment }: ReturnType<typeof recallBody>): string {
  if (answeredAt !== null)
    return `accepted on ${answeredAt.toISOString().slice(0, 10)}, and not taken by the bank: ask it, and undo it by \`mintrail bank recalls undo ${id} --reason TEXT\``;
  if (isOfWholeMessage) return `the whole message ${payment.messageId ?? ''}: refuse it with NARR, and ask for a recall of each payment`;
  if (credits.length === 0) return 'not known here: refuse it with NOOR, or import the statement that has it';
  return credits
    .map(({ reference, state, orderId, isNamed, problem }) => {
      const facts = [state, ...(orderId === null ? [] : [`order ${orderId}`]), ...(isNamed ? [] : ['perhaps'])];
      return `${reference} (${facts.join(', ')})${problem === null ? '' : `: ${problem}`}`;
    })
    .join('; ');
}
