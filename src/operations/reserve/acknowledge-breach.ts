import { z } from 'zod';
import { acknowledgeBreach, requireBreach } from '../../ledger/reserve/acknowledge-breach.ts';
import { openBreaches } from '../../ledger/reserve/breaches.ts';
import { comparisonNames, type ComparisonItem } from '../../ledger/reserve/comparison.ts';
import { currencySchema, formatAmount, minorUnits, parseAmount } from '../../platform/money.ts';
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

/** Acknowledges a difference that stops issuing, with what explains it to the cent. */
export const acknowledge = defineVerb({
  name: 'reserve.acknowledge',
  summary: 'issue a currency again after its difference was investigated',
  command: 'reconcile acknowledge <currency>',
  input: z.strictObject({
    currency: currencySchema.describe('currency whose issue is stopped'),
    comparison: z.enum(comparisonNames).describe('comparison that has the breach'),
    account: z.string().max(200).describe('account of the book, where several have a breach').optional(),
    items: z.array(item).max(50).meta({
      description: 'amount and text of a part of the difference, such as "-7.00 forged in 0x12…"; they add up to it',
      flags: '--item <item>',
    }),
    books: z.boolean().default(false).meta({
      description: 'book the difference as your own loss or gain (comparison `index`), also one that was acknowledged before',
      flags: '--book',
    }),
    reason: z.string().trim().min(1).max(500).describe('what the investigation showed'),
  }),
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  async describe({ ledger }, acknowledgement) {
    const { comparison, currency, account, difference, foundAt } = await requireBreach(ledger, acknowledgement);
    const { items, books, reason } = acknowledgement;
    const parts = items.map(({ amount, text }) => `${formatAmount(amount)} ${text}`).join('; ');
    const booked = books ? " The difference is booked as the operator's own loss or gain." : '';
    return `Acknowledge that the comparison ${comparison} of ${account || 'the trial balance'} differs by ${moneyText(difference, currency)}, found at ${foundAt.toISOString()}, which is explained by: ${parts || 'nothing'}.${booked} ${currency.toUpperCase()} is issued again once no other difference stops it. Reason: ${reason}`;
  },
  async carryOut({ ledger, operator }, acknowledgement) {
    const { difference, foundAt, ...breach } = await acknowledgeBreach(ledger, { ...acknowledgement, operator: operator.name });
    const open = (await openBreaches(ledger)).filter(({ currency }) => currency === breach.currency);
    return {
      acknowledged: { ...breach, difference: formatAmount(difference), foundAt: foundAt.toISOString() },
      open: open.map(({ comparison, account }) => ({ comparison, account })),
    };
  },
  topics: ['status'],
});

/** Reads an item of an acknowledgement: an amount, which may be negative, and its text, such as `-7.00 forged in 0x12…`. `undefined` when it is none. */
function parseComparisonItem(text: string): ComparisonItem | undefined {
  const [, sign, digits = '', words = ''] = /^\s*([+-]?)(\S+)\s+(\S.*)$/s.exec(text) ?? [];
  const amount = parseAmount(digits);
  if (amount === undefined) return undefined;
  return { text: words.trim(), amount: sign === '-' ? minorUnits(0n - amount) : amount };
}
