import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { accounts } from '../../book/accounts.ts';
import { recordEntries } from '../../book/entries.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';

/** Days after its answer within which a bank books the debit of an accepted recall. */
const daysToTake = 5;

/** SQL: the accepted recalls whose unmatched credit the bank should have taken back, the oldest first. Costs the credits that await a debit. */
export const untaken = sql`
  select r.id, r.answered_at from credits c join recalls r on r.credit = c.reference
  where c.awaits_debit and r.undone_by is null and r.answered_at < now() - make_interval(days => ${daysToTake})
  order by r.answered_at, r.id
`;

/** Their ids. */
export async function untakenRecalls(ledger: Ledger, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`${untaken} limit ${limit}`.execute(ledger);
  return rows.map(({ id }) => id);
}

/** The credit of an accepted recall, locked on request. Throws `not_found`, and `not_possible` where no debit is awaited for it. */
export async function findAcceptedCredit(ledger: Ledger, id: string, lock?: 'lock') {
  const credit = await ledger
    .selectFrom('recalls')
    .innerJoin('credits', 'credits.reference', 'recalls.credit')
    .where('recalls.id', '=', id)
    .where('undoneBy', 'is', null)
    .$if(lock !== undefined, (query) => query.forUpdate())
    .select(['reference', 'state', 'awaitsDebit', 'credits.amount', 'credits.currency', 'payer'])
    .executeTakeFirst();
  if (credit === undefined) throw new StopError({ code: 'not_found', message: `There is no accepted recall ${id}` });
  if (credit.state === 'returned' && credit.awaitsDebit) return credit;
  const message = `The recall ${id} has nothing to undo: its credit ${credit.reference} is ${credit.state}, and awaits no debit of the bank`;
  throw new StopError({ code: 'not_possible', message });
}

/**
 * An operator says that the bank does not take the money of an accepted recall: its credit is unmatched again. A debit that comes nevertheless takes it back as any
 * credit. Throws as {@link findAcceptedCredit}.
 */
export async function undoRecall(
  ledger: Ledger,
  id: string,
  { reason, operator }: { reason: string; operator: string },
): Promise<{ id: string; credit: string }> {
  return inTransaction(ledger, async (tx) => {
    const { reference } = await findAcceptedCredit(tx, id, 'lock');
    const { currency, amount } = await tx
      .updateTable('credits')
      .set({ state: 'unmatched', returnedAt: null, awaitsDebit: false, reason: `the bank did not take it back: ${reason}` })
      .where('reference', '=', reference)
      .where('state', '=', 'returned')
      .where('awaitsDebit', '=', true)
      .returning(['currency', 'amount'])
      .executeTakeFirstOrThrow();
    await tx.updateTable('recalls').set({ undoneBecause: reason, undoneBy: operator }).where('id', '=', id).execute();
    if (currency !== null && amount !== null)
      await recordEntries(tx, [
        { kind: 'return-refused', source: id, debit: accounts.return, credit: accounts.suspense, currency, amount },
      ]);
    return { id, credit: reference };
  });
}
