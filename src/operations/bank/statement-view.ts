import { z } from 'zod';
import { listStatements, type StatementView } from '../../ledger/bank/statements/statement-queries.ts';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { formatAmount } from '../../platform/money.ts';
import { defineView } from '../view.ts';
import { amountOrNull } from './money-text.ts';

/** The bank's statements beside the book, and the gaps between them. */
export const statements = defineView({
  name: 'bank.statements',
  summary: 'list the statements with their balances and what the book has on their closing day, the latest first',
  command: 'bank statements',
  roles: operatorRoles,
  input: z.object({
    account: z.string().max(64).optional().meta({ description: 'only statements of this account', flags: '--account <account>' }),
  }),
  limit: { usual: 20, most: 1_000 },
  async read(ledger, filter) {
    const listed = await listStatements(ledger, filter);
    return listed.map(statementRow);
  },
  columns: {
    account: ({ account }) => account,
    currency: ({ currency }) => currency.toUpperCase(),
    number: ({ number }) => number,
    from: ({ from }) => from,
    to: ({ closedOn }) => closedOn,
    opening: ({ opening }) => opening,
    closing: ({ closing }) => closing,
    book: ({ booked }) => booked,
    difference: ({ difference }) => difference,
    'gap before it': ({ id, gap, gapReason }) => gap && `${gap}${gapReason === null ? ` (${id})` : `, accepted: ${gapReason}`}`,
  },
  empty: 'No statements with balances.',
});

function statementRow({ sequence, opening, closing, booked, difference, ...statement }: StatementView) {
  return {
    ...statement,
    sequence: sequence === null ? null : String(sequence),
    opening: amountOrNull(opening),
    closing: amountOrNull(closing),
    booked: formatAmount(booked),
    difference: amountOrNull(difference),
  };
}
