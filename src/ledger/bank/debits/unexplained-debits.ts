import { StopError } from '../../../platform/errors.ts';
import type { Ledger } from '../../ledger.ts';
import { possibleCauses, type PossibleCauses } from '../claims/credit-reversals.ts';
import { isUuid } from '../../../platform/uuid.ts';

/** Debits that nobody has explained, the oldest first. Of one that takes a credit back, `mayTakeBack` names the credits that it may be the reversal of, and `mayRepeat` the earlier debits that it may be a further report of. */
export async function listUnexplainedDebits(ledger: Ledger, limit: number) {
  const waiting = ledger
    .selectFrom('bankDebits')
    .where('state', '=', 'unexplained')
    .orderBy('receivedAt')
    .orderBy('reference')
    .limit(limit);
  const facts = ['reference', 'account', 'amount', 'currency', 'bookedOn', 'payee', 'remittance', 'endToEndId'] as const;
  const debits = await waiting.select([...facts, 'problem', 'source', 'receivedAt', 'takesBack']).execute();
  const reversals = debits.flatMap(({ reference, takesBack }) => (takesBack === null ? [] : [reference]));
  const causes = await possibleCauses(ledger, reversals);
  return debits.map((debit) => Object.assign(debit, { mayTakeBack: [], mayRepeat: [] } as PossibleCauses, causes.get(debit.reference)));
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

/** Kinds of money of the operator's own that leaves: what the bank charges, interest, and whatever else the operator did. */
export const ownKinds = ['fee', 'interest', 'own'] as const;

/**
 * What a debit was: the operator's own money; payments of ours by their ids, beyond which it may be the bank's fee; or by its reference a credit that was
 * returned by hand, or debits that it is a further report of, beyond which it may be the bank's fee, or of a single one a part; or the credits that the bank took back, of a single one also a part.
 */
export type Explanation =
  | { as: (typeof ownKinds)[number] }
  | { as: 'payment'; payments: readonly string[]; isWithFee: boolean }
  | { as: 'return-of'; credit: string }
  | { as: 'reversal-of'; credits: readonly string[] }
  | { as: 'repeat-of'; debits: readonly string[]; isWithFee?: boolean };

/** Payments, credits or debits that an operator names for one debit, at most. */
export const mostNamed = 50;

/** Reads ids of payments, and `fee` where the debit has the bank's fee besides; undefined where one is no id, or none is named. */
export function paymentsOf(named: readonly string[]): Explanation | undefined {
  const { others, isWithFee } = besidesFee(named);
  const payments = others.map((id) => id.toLowerCase());
  return payments.length === 0 || !payments.every(isUuid) ? undefined : { as: 'payment', payments, isWithFee };
}

/** Reads references of debits, and `fee` where the debit has the bank's fee besides; undefined where none is named. */
export function repeatedOf(named: readonly string[]): Explanation | undefined {
  const { others, isWithFee } = besidesFee(named);
  return others.length === 0 ? undefined : { as: 'repeat-of', debits: others, isWithFee };
}

function besidesFee(named: readonly string[]) {
  const others = named.filter((name) => name !== 'fee');
  return { others, isWithFee: others.length < named.length };
}

/** The error of an explanation that does not fit the debit. */
export function explanationWrong(why: string): StopError {
  return new StopError({ code: 'bad_input', message: `This does not explain the debit: ${why}` });
}
