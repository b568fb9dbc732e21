import { z } from 'zod';
import { listClaims } from '../../ledger/bank/claims/claims.ts';
import { listUnexplainedDebits } from '../../ledger/bank/debits/unexplained-debits.ts';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { formatAmount } from '../../platform/money.ts';
import { defineView } from '../view.ts';
import { amountOrNull } from './money-text.ts';

/** Debits that are none of our payments. */
export const debits = defineView({
  name: 'bank.debits',
  summary: 'list the debits that are none of our payments and wait to be explained, the oldest first',
  command: 'bank debits',
  roles: operatorRoles,
  input: z.object({}),
  limit: { usual: 1_000, most: 100_000 },
  async read(ledger, { limit }) {
    const listed = await listUnexplainedDebits(ledger, limit);
    return listed.map(debitRow);
  },
  columns: {
    reference: ({ reference }) => reference,
    account: ({ account }) => account,
    booked: ({ bookedOn }) => bookedOn,
    amount: ({ amount }) => amount ?? '?',
    currency: ({ currency }) => currency.toUpperCase(),
    payee: ({ payee }) => payee.name ?? payee.iban ?? '',
    'what is known': whatIsKnown,
  },
  empty: 'No debits to be explained.',
});

/** Credits that the bank took back. */
export const claims = defineView({
  name: 'bank.claims',
  summary: 'list the credits that the bank took back after they had been issued or returned, the oldest first',
  command: 'bank claims',
  roles: operatorRoles,
  input: z.object({}),
  limit: { usual: 1_000, most: 100_000 },
  async read(ledger, { limit }) {
    const listed = await listClaims(ledger, limit);
    return listed.map(claimRow);
  },
  columns: {
    claim: ({ claim }) => claim,
    credit: ({ credit }) => credit,
    state: ({ state }) => state,
    since: ({ createdAt }) => createdAt,
    amount: ({ amount }) => amount,
    recovered: ({ recovered }) => recovered,
    currency: ({ currency }) => currency.toUpperCase(),
    order: ({ orderId }) => orderId,
    payer: ({ payer }) => payer.name ?? payer.iban ?? '',
  },
  empty: 'No claims.',
});

type Debit = Awaited<ReturnType<typeof listUnexplainedDebits>>[number];

function debitRow(debit: Debit) {
  return { ...debit, amount: amountOrNull(debit.amount) };
}

function claimRow({ reversal, amount, recovered, ...claim }: Awaited<ReturnType<typeof listClaims>>[number]) {
  return { claim: reversal, ...claim, amount: formatAmount(amount), recovered: formatAmount(recovered) };
}

/** What an operator goes by: why a debit is in doubt, which credits it may take back or which debit it may repeat, or its text. */
function whatIsKnown({ problem, takesBack, mayTakeBack, mayRepeat, remittance }: Omit<Debit, 'amount'>): string {
  if (takesBack === null) return problem ?? remittance ?? '';
  return [
    `it takes a credit back (${takesBack})`,
    ...(problem === null ? [] : [problem]),
    ...(mayTakeBack.length === 0 ? [] : [`it may take ${mayTakeBack.join(' or ')} back: --as reversal-of:CREDIT[,CREDIT...]`]),
    ...(mayRepeat.length === 0 ? [] : [`it may be another report of ${mayRepeat.join(' or ')}: --as repeat-of:DEBIT`]),
  ].join('; ');
}
