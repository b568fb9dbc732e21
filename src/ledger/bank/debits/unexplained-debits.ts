import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import type { Ledger } from '../../ledger.ts';
import { possibleReversals } from '../claims/possible-reversals.ts';
import { explanationWrong } from './debit-explanation.ts';
import { possibleFirstReports } from './repeated-debits.ts';

/** Debits that nobody has explained, the oldest first. Of one that takes a credit back, `mayTakeBack` names the credits that it may be the reversal of, and `mayRepeat` the earlier debits that it may be a further report of. */
export async function listUnexplainedDebits(ledger: Ledger, limit: number) {
  const debits = await ledger
    .selectFrom('bankDebits')
    .where('state', '=', 'unexplained')
    .orderBy('receivedAt')
    .orderBy('reference')
    .limit(limit)
    .select([
      'reference',
      'account',
      'amount',
      'currency',
      'payee',
      'remittance',
      'endToEndId',
      'problem',
      'source',
      'receivedAt',
      'takesBack',
    ])
    .select(sql<string>`booked_on::text`.as('bookedOn'))
    .execute();
  const reversals = debits.flatMap(({ reference, takesBack }) => (takesBack === null ? [] : [reference]));
  const [possible, earlier] = await Promise.all([possibleReversals(ledger, reversals), possibleFirstReports(ledger, reversals)]);
  return debits.map((debit) =>
    Object.assign(debit, { mayTakeBack: possible.get(debit.reference) ?? [], mayRepeat: earlier.get(debit.reference) ?? [] }),
  );
}

/** An unexplained debit, for who is about to explain it. Throws `not_found` and `not_possible`. */
export async function findUnexplainedDebit(ledger: Ledger, reference: string) {
  const debit = await ledger
    .selectFrom('bankDebits')
    .where('reference', '=', reference)
    .where('state', '=', 'unexplained')
    .select(['reference', 'account', 'currency', 'amount', 'payee', 'remittance'])
    .select(sql<string>`booked_on::text`.as('bookedOn'))
    .executeTakeFirst();
  if (debit === undefined) throw await notUnexplained(ledger, reference);
  return debit;
}

/** Why a debit is not one that waits to be explained: `not_found`, `not_possible`, or `bad_input` while its amount is not known. */
export async function notUnexplained(tx: Ledger, reference: string): Promise<StopError> {
  const debit = await tx
    .selectFrom('bankDebits')
    .where('reference', '=', reference)
    .select(['state', 'amount', 'explainedAs', 'explainedBy', 'payment'])
    .executeTakeFirst();
  if (debit === undefined)
    return new StopError({
      code: 'not_found',
      message: `There is no debit ${reference}; \`mintrail bank debits\` lists those that wait`,
    });
  if (debit.state === 'unexplained' && debit.amount === null)
    return explanationWrong('its amount cannot be read: name it as well, by `--amount`');
  const ends = {
    explained: `explained as ${debit.explainedAs}, by ${debit.explainedBy}`,
    payment: `the payment ${debit.payment ?? 'file'} of ours`,
    reversal: 'the reversal of a credit',
    replaced: 'replaced by the transactions it consists of',
    unexplained: 'changed just now; try again',
  };
  return new StopError({ code: 'not_possible', message: `The debit ${reference} is ${ends[debit.state]}` });
}
