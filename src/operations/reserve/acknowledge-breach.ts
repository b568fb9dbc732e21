import { z } from 'zod';
import { acknowledgeBreach, openBreaches } from '../../ledger/reserve/breaches.ts';
import { comparisonNames, type ComparisonItem } from '../../ledger/reserve/comparison.ts';
import { parseComparisonItem } from '../../ledger/reserve/comparison-item.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount } from '../../platform/money.ts';
import { defineVerb } from '../verb.ts';
import { moneyText } from '../bank/money-text.ts';

/** An amount, which may be negative, and a text. */
const item = z
  .string()
  .max(500)
  .transform((text, context): ComparisonItem => {
    const parsed = parseComparisonItem(text);
    if (parsed) return parsed;
    context.addIssue({ code: 'custom', message: 'must be an amount and a text, such as -7.00 forged in transaction 0x12…' });
    return z.NEVER;
  });

const input = z.strictObject({
  comparison: z.enum(comparisonNames),
  currency: z.string().min(1).max(8),
  account: z.string().max(200),
  items: z.array(item).max(50),
  books: z.boolean().default(false),
  reason: z.string().trim().min(1).max(500),
});

/** Acknowledges a difference that stops issuing, with what explains it to the cent, as `mintrail reconcile acknowledge` does. */
export const acknowledge = defineVerb({
  name: 'reserve.acknowledge',
  summary: 'issue a currency again after its difference was investigated',
  input,
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  async describe({ ledger }, { items, books, reason, ...subject }) {
    const breach = await requireBreach(ledger, subject);
    const parts = items.map(({ amount, text }) => `${formatAmount(amount)} ${text}`).join('; ');
    const booked = books ? " The difference is booked as the operator's own loss or gain." : '';
    const { currency, comparison, account } = breach;
    return `Acknowledge that the comparison ${comparison} of ${account || 'the trial balance'} differs by ${moneyText(breach.difference, currency)}, found at ${breach.foundAt.toISOString()}, which is explained by: ${parts || 'nothing'}.${booked} ${currency.toUpperCase()} is issued again once no other difference stops it. Reason: ${reason}`;
  },
  async carryOut({ ledger, operator }, { items, books, reason, comparison, currency, account }) {
    const { difference } = await acknowledgeBreach(ledger, {
      comparison,
      currency,
      account,
      items,
      books,
      reason,
      operator: operator.name,
    });
    return { difference: formatAmount(difference), currency };
  },
  topics: ['status'],
});

/** Throws `unknown_breach`. */
async function requireBreach(
  ledger: Ledger,
  { comparison, currency, account }: Pick<z.output<typeof input>, 'comparison' | 'currency' | 'account'>,
) {
  const breaches = await openBreaches(ledger);
  const breach = breaches.find((open) => open.comparison === comparison && open.currency === currency && open.account === account);
  if (breach) return breach;
  throw new StopError({
    code: 'unknown_breach',
    message: `There is no open breach of ${currency} in the comparison \`${comparison}\` of ${account || 'the trial balance'}`,
  });
}
