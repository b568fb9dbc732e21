import { z } from 'zod';
import { findMistakenLine } from '../../../ledger/bank/unmatched/match-unmatched.ts';
import { findWaitingCredit, type WaitingCredit } from '../../../ledger/bank/unmatched/unmatched-credits.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { StopError } from '../../../platform/errors.ts';
import type { VerbContext } from '../../verb.ts';
import { amountOrNull, moneyText } from '../money-text.ts';

/** Who decides what an unmatched credit is. */
export const roles = ['treasurer', 'administrator'] as const;

/** What changes by it. */
export const topics = ['bank', 'orders', 'status'] as const;

/** How an operator knows. */
export const reason = z.string().trim().min(1).max(500).describe('how you know; it is recorded');

/** A credit, and its amount as the operator saw it. A later report of the bank may reduce it before a second person has approved. */
export const credit = z.strictObject({
  reference: z.string().min(1).max(500).describe('reference of the credit in `mintrail bank unmatched`'),
  amount: z
    .string()
    .nullable()
    .meta({ description: 'do it only while the credit has this amount, the one that you have seen', flags: '--amount <amount>' }),
});

/** The amount that an operator sees before it is decided. */
export const shownFields = {
  shown: ['amount'] as const,
  async readShown({ ledger }: VerbContext, { reference: named = '', again }: { reference?: string; again?: boolean | undefined }) {
    return { amount: amountOrNull((await (again === true ? findMistakenLine(ledger, named) : findWaitingCredit(ledger, named))).amount) };
  },
};

/** The unmatched credit. Throws `not_as_shown` when a report has changed its amount since the operator saw it, and as {@link findWaitingCredit}. */
export async function requireAsShown(
  ledger: Ledger,
  { reference, amount, again }: z.output<typeof credit> & { again?: boolean | undefined },
  lock?: 'lock',
): Promise<Pick<WaitingCredit, 'amount' | 'currency' | 'payer'>> {
  const waiting = again === true ? await findMistakenLine(ledger, reference) : await findWaitingCredit(ledger, reference, lock);
  if (amountOrNull(waiting.amount) === amount) return waiting;
  const message = `The credit ${reference} is over ${moneyText(waiting.amount, waiting.currency)} now: a report of the bank has changed it. Look at it again`;
  throw new StopError({ code: 'not_as_shown', message });
}
