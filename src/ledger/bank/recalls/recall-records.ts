import { type Selectable, sql } from 'kysely';
import type { LedgerTables } from '../../../schema/tables.ts';
import { StopError } from '../../../platform/errors.ts';
import { accounts } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { isUuid } from '../../../platform/uuid.ts';
import type { BankRecall } from '../../../bank/recall.ts';
import { recallId } from '../../derived-ids.ts';
import { toJson } from '../../input-rows.ts';

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
  const { rows } = await sql<Selectable<LedgerTables['credits']>>`
    select c.* from recalls r join credits c on c.reference = r.credit where r.id = ${id} and r.undone_by is null
    ${lock === undefined ? sql`` : sql`for update`}
  `.execute(ledger);
  const [credit] = rows;
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
    await sql`
      with undone as (
        update credits set state = 'unmatched', returned_at = null, awaits_debit = false, reason = ${`the bank did not take it back: ${reason}`}
        where reference = ${reference} and state = 'returned' and awaits_debit returning currency, amount
      ), noted as (
        update recalls set undone_because = ${reason}, undone_by = ${operator} where id = ${id}
      ), ${bookEntries(sql`
        select 'return-refused' as kind, ${id}::text as source, null::date as booked_on, ${accounts.return} as debit, ${accounts.suspense} as credit, currency, amount
        from undone`)}
      select
    `.execute(tx);
    return { id, credit: reference };
  });
}

/** Recalls that wait for an answer at most: far more than operators could answer. */
const mostOpen = 10_000;

/** A recall to be recorded; `endToEndId` is undefined where the bank wrote a placeholder. */
interface NewRecall {
  recall: BankRecall;
  endToEndId: string | undefined;
}

/** Records a recall, once however often the bank sends it. Returns whether it is new. */
export async function recordRecall(tx: LedgerTransaction, source: string, { recall, endToEndId }: NewRecall): Promise<boolean> {
  const { amount = null, currency = null, payment } = recall;
  const { uetr = '', instructionId, transactionId, clearingReference } = payment;
  const id = recallId([recall.assigner, recall.caseId, recall.cancellationId, payment, recall.amount?.toString(), recall.currency]);
  const numbers = [instructionId, transactionId, clearingReference].filter((number) => number !== undefined);
  const { numAffectedRows } = await sql`
    insert into recalls (id, amount, currency, end_to_end_id, uetr, numbers, facts, source)
    values (${id}, ${amount}, ${currency}, ${endToEndId ?? null}, ${isUuid(uetr) ? uetr : null}, ${numbers}, ${toJson(recall)}, ${source})
    on conflict do nothing
  `.execute(tx);
  return numAffectedRows !== 0n;
}

/** Throws `not_possible` when more recalls wait than there is room for, so that no file is half applied. */
export async function assertRoomForRecalls(tx: LedgerTransaction): Promise<void> {
  const { rows } = await sql`select from recalls where answer is null offset ${mostOpen} limit 1`.execute(tx);
  if (rows.length === 0) return;
  const message = `More than ${mostOpen} recalls wait for an answer. Nothing of the file was applied: answer those that wait (\`mintrail bank recalls\`), then import it again`;
  throw new StopError({ code: 'not_possible', message });
}
