import { StopError } from '../../../platform/errors.ts';
import type { Ledger } from '../../ledger.ts';
import { possibleReversals } from '../claims/possible-reversals.ts';
import { possibleFirstReports } from './repeated-debits.ts';

/** Debits that nobody has explained, the oldest first. Of one that takes a credit back, `mayTakeBack` names the credits that it may be the reversal of, and `mayRepeat` the earlier debits that it may be a further report of. */
export async function listUnexplainedDebits(ledger: Ledger, limit: number) {
  const debits = await ledger
    .selectFrom('bankDebits')
    .where('state', '=', 'unexplained')
    .orderBy('receivedAt')
    .orderBy('reference')
    .limit(limit)
    .select(['reference', 'account', 'amount', 'currency', 'bookedOn', 'payee', 'remittance', 'endToEndId'])
    .select(['problem', 'source', 'receivedAt', 'takesBack'])
    .execute();
  const reversals = debits.flatMap(({ reference, takesBack }) => (takesBack === null ? [] : [reference]));
  const [possible, earlier] = await Promise.all([possibleReversals(ledger, reversals), possibleFirstReports(ledger, reversals)]);
  return debits.map((debit) =>
    Object.assign(debit, { mayTakeBack: possible.get(debit.reference) ?? [], mayRepeat: earlier.get(debit.reference) ?? [] }),
  );
}

/** An unexplained debit, for who is about to explain it; it stays as it is until the transaction ends where it is to be locked. Throws `not_found` and `not_possible`. */
export async function findUnexplainedDebit(ledger: Ledger, reference: string, lock?: 'lock') {
  const query = ledger.selectFrom('bankDebits').where('reference', '=', reference).selectAll();
  const debit = await (lock === undefined ? query : query.forUpdate()).executeTakeFirst();
  if (debit === undefined) {
    const message = `There is no debit ${reference}; \`mintrail bank debits\` lists those that wait`;
    throw new StopError({ code: 'not_found', message });
  }
  if (debit.state === 'unexplained') return debit;
  const ends = {
    explained: `explained as ${debit.explainedAs}, by ${debit.explainedBy}`,
    payment: `the payment ${debit.payment ?? 'file'} of ours`,
    reversal: 'the reversal of a credit',
    replaced: 'replaced by the transactions it consists of',
  };
  throw new StopError({ code: 'not_possible', message: `The debit ${reference} is ${ends[debit.state]}` });
}
