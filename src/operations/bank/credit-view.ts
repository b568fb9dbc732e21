import { z } from 'zod';
import type { Party } from '../../bank/credit.ts';
import { listUnmatchedCredits } from '../../ledger/bank/unmatched/unmatched-credits.ts';
import { creditRemedies, remediesOf } from '../../ledger/bank/unmatched/unmatched-remedies.ts';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { defineView } from '../view.ts';
import { amountOrNull } from './money-text.ts';

/** Credits that became no order. */
export const unmatchedCredits = defineView({
  name: 'bank.unmatched',
  summary:
    'list the credits that could not be matched to a holder, the oldest first; below a suspected repeat the credit that it may repeat',
  command: 'bank unmatched',
  roles: operatorRoles,
  input: z.object({
    only: z.string().max(500).describe('only the credit with this reference').optional(),
    after: z.string().max(500).describe('only those that follow the credit with this reference').optional(),
  }),
  limit: { usual: 1_000, most: 100_000 },
  async read(ledger, { limit, ...which }) {
    const credits = await listUnmatchedCredits(ledger, limit, which);
    return credits.map(creditRow);
  },
  keyOf: ({ reference }) => reference,
  columns: {
    reference: ({ reference }) => reference,
    received: ({ receivedAt }) => receivedAt,
    IBAN: ({ iban }) => iban,
    amount: ({ amount, amountText }) => amount ?? amountText,
    currency: ({ currency }) => currency?.toUpperCase() ?? '',
    payer: ({ payer }) => payerOf(payer),
    reason: ({ reason }) => reason,
    remedy: ({ remedies }) => remedies[0] ?? '',
  },
  empty: 'No unmatched credits.',
});

/** Who paid, as far as the bank names somebody. */
export function payerOf({ name, iban, accountNumber }: Party): string {
  return name ?? iban ?? accountNumber ?? '';
}

/** An unmatched credit as both doors have it. */
export type UnmatchedCredit = ReturnType<typeof creditRow>;

function creditRow({ amount, repeats, ...credit }: Awaited<ReturnType<typeof listUnmatchedCredits>>[number]) {
  return {
    ...credit,
    amount: amountOrNull(amount),
    /** What the bank wrote where that is no amount. */
    amountText: (credit.facts as { amountText?: string } | null)?.amountText ?? null,
    repeats: repeats && { ...repeats, amount: amountOrNull(repeats.amount) },
    /** What can be done, the usual remedy first: by a command, and by an action of the console. */
    remedies: remediesOf(credit.railReason),
    actions: creditRemedies(credit.railReason),
  };
}
