import { type UnexplainedDebits, unexplainedDebits } from '../ledger/bank/unexplained-debits.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { formatAmount } from '../platform/money.ts';
import type { Problem } from './problem.ts';

/** What the bank's statements show to be wrong. */
export async function bankProblems(ledger: Ledger): Promise<Problem[]> {
  return (await unexplainedDebits(ledger)).map(ofDebits);
}

function ofDebits({ account, currency, count, amount, oldest, since }: UnexplainedDebits): Problem {
  const debits = count === 1 ? 'one debit' : `${count} debits`;
  const text = `${formatAmount(amount)} ${currency.toUpperCase()} have left the account ${account} in ${debits} that nobody has explained; the oldest is ${oldest}: see \`mintrail bank debits\`, then run \`mintrail bank explain\``;
  return { kind: 'debit_unexplained', chain: '', subject: `${account} ${currency}`, since, text };
}
