import { type Selectable, sql } from 'kysely';
import type { LedgerTables } from '../../../schema/tables.ts';
import { StopError } from '../../../platform/errors.ts';
import type { MinorUnits } from '../../../platform/money.ts';
import { accounts, bankAccountIn } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { recordDebits } from '../debits/bank-debits.ts';
import { reversalSource } from '../../book/reversal-source.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { creditsChanged, findStandings, wholeCredit } from '../credit-standing.ts';
import { isNotBooked, isNotBookedReference, notBookedReference } from '../derived-references.ts';
import { lockCredits } from './taken-back.ts';
import { lockImports } from '../bank-files.ts';
import { explainDebit } from '../debits/explain-debit.ts';
import { unusedReferences } from '../reported-credits.ts';

/**
 * Undoes that a debit took credits back, as when it was another credit: claims of which nothing is recovered end, and credits are unmatched again, and
 * can be matched. The debit waits for an explanation again (`isWaiting`), and no import takes a credit back by it any more; one that said that the bank had not booked the
 * credit ends. Orders that were rejected stay rejected. The debit may be named by the reference of one of its claims. Returns what the debit is over, and of each credit whether it is unmatched again:
 * else it is what it was all the time, and only its claim is gone. Throws `not_found`, `not_possible`.
 */
export async function undoReversal(ledger: Ledger, reference: string, { reason, operator }: { reason: string; operator: string }) {
  return inTransaction(ledger, async (tx) => {
    const { debit, amount, currency, reversals } = await lockReversals(tx, reference);
    await assertUnclaimed(tx, debit);
    const named = reversals.map(({ credit }) => credit).join(', ');
    const { rows } = await sql<{ credit: string; isUnmatched: boolean; isDone: boolean }>`
      with undone as (
        -- A void claim has ended with the reversal of the credit.
        select v.credit, v.reference, v.amount, d.currency, ${reversalSource(sql`v.reference`)} as source, coalesce(k.state = 'void', true) as is_unmatched
        from reversals v join bank_debits d on d.reference = v.debit left join claims k on k.reversal = v.reference where v.debit = ${debit}
      ), claims_ended as (
        delete from claims where reversal in (select reference from undone)
      ), reversals_ended as (
        delete from reversals where debit = ${debit}
      ), reopened as (
        update credits c set state = 'unmatched', order_id = null, returned_at = null, reason = 'the bank did not take it back: ' || ${reason}::text,
          facts = coalesce(facts, '{}') || jsonb_strip_nulls(jsonb_build_object('orderId', order_id))
        from undone u where c.reference = u.credit and u.is_unmatched and c.state = 'reversed' returning c.reference
      ), waiting as (
        update bank_debits set state = ${afterUndo}, explained_as = null, explanation = null,
          explained_by = null, explained_at = null, problem = ${`that it took ${named} back was undone: ${reason}`}, reversals_undone = reversals_undone + 1,
          last_undone_credit = ${named}, last_undo_reason = ${reason}, last_undone_by = ${operator}
        where (reference = ${debit} and state in ('reversal', 'explained')) or (kept_of in (select credit from undone) and state = 'reversal') returning *
      ), ${bookEntries(sql`
        select 'reversal-undone' as kind, source, null::date as booked_on, ${accounts.differences} as debit,
          case when is_unmatched then ${accounts.suspense} else ${accounts.claims} end as credit, currency, amount
        from undone
        union all
        select 'debit-replaced', reference, booked_on, ${bankAccountIn('account')}, ${accounts.differences}, currency, amount from waiting where ${isNotBooked(sql`reference`)}`)}
      select u.credit, u.is_unmatched, u.is_unmatched = (r.reference is not null) as is_done from undone u left join reopened r on r.reference = u.credit order by u.credit
    `.execute(tx);
    const changed = rows.find(({ isDone }) => !isDone);
    if (changed !== undefined) throw creditsChanged([changed.credit]);
    const credits = rows.map(({ credit, isUnmatched }) => ({ credit, isUnmatched }));
    return { debit, amount, currency, credits, isWaiting: !isNotBookedReference(debit) };
  });
}

/** SQL: the state of a debit of which that is undone: one that no file reports ends. */
const afterUndo = sql`case when ${isNotBooked(sql`reference`)} then 'replaced' else 'unexplained' end`;

/** Locks the claims on what a debit took back. Throws `not_possible` where something was paid for one, or it was written off. */
async function assertUnclaimed(tx: LedgerTransaction, debit: string): Promise<void> {
  const { rows } = await sql<{ reversal: string; isEnded: boolean }>`
    select k.reversal, k.recovered > 0 or k.state in ('recovered', 'written_off') as is_ended
    from reversals v join claims k on k.reversal = v.reference where v.debit = ${debit} order by v.credit for update of k
  `.execute(tx);
  const ended = rows.find(({ isEnded }) => isEnded);
  if (ended === undefined) return;
  const which = debit === ended.reversal ? debit : `${ended.reversal} of the debit ${debit}`;
  const message = `The claim ${which} is recovered in part, or has ended: what was paid for it, or written off, cannot be undone`;
  throw new StopError({ code: 'not_possible', message });
}

interface Reversal extends Pick<Selectable<LedgerTables['reversals']>, 'reference' | 'debit' | 'credit' | 'amount'> {
  currency: string;
}

/** What a debit took back, for who is about to undo that. The debit may be named by the reference of one of its claims. Throws `not_found`. */
export async function findReversals(ledger: Ledger, reference: string) {
  const { rows: reversals } = await sql<Reversal>`
    select v.reference, v.debit, v.credit, v.amount, d.currency from reversals v join bank_debits d on d.reference = v.debit
    where v.debit = coalesce((select debit from reversals where reference = ${reference}), ${reference}) order by v.credit
  `.execute(ledger);
  const [first] = reversals;
  if (first === undefined) throw unknown(reference);
  return { debit: first.debit, reversals };
}

/** Locks the credits that a debit took back, and the debit. Throws `not_found`. */
async function lockReversals(tx: LedgerTransaction, reference: string) {
  const before = await findReversals(tx, reference);
  const credits = before.reversals.map(({ credit }) => credit);
  await lockCredits(tx, credits);
  const { rows } = await sql<{ amount: MinorUnits; currency: string }>`
    select amount, currency from bank_debits where reference = ${before.debit} and state in ('reversal', 'explained') for update
  `.execute(tx);
  const { debit, reversals } = await findReversals(tx, before.debit);
  const [locked] = rows;
  if (locked === undefined || reversals.map(({ credit }) => credit).join() !== credits.join()) throw unknown(debit);
  return { debit, ...locked, reversals };
}

function unknown(debit: string): StopError {
  const message = `No credit was taken back by the debit ${debit}; \`mintrail bank claims\` lists the claims, and \`mintrail book account assets:claims\` those that have ended`;
  return new StopError({ code: 'not_found', message });
}

/**
 * An operator says that the bank has not booked a credit that it has notified. It is taken back as by a debit: what is not issued never is, and what was issued is a
 * claim. Waits until no import runs. Throws `not_possible`.
 */
export async function takeAwaitedBack(ledger: Ledger, credit: string, { reason, operator }: { reason: string; operator: string }) {
  return inTransaction(ledger, async (tx) => {
    await lockImports(tx);
    const { currency, amount, bankAccount: account, bookedOn } = await requireAwaited(tx, credit);
    const [reference = ''] = await unusedReferences(tx, 'bank_debits', [{ reference: notBookedReference(credit), bookedOn }]);
    const debit = { reference, account, currency, amount, bookedOn, isSum: false, payee: {}, files: [] };
    await recordDebits(tx, [{ debit, problem: 'the bank has not booked the credit' }], 'operator');
    return explainDebit(tx, debit.reference, { explanation: { as: 'reversal-of', credits: [credit] }, reason, operator });
  });
}

/** Whether there is a credit with this reference that {@link takeAwaitedBack} takes back. */
export async function isAwaitedCredit(ledger: Ledger, reference: string): Promise<boolean> {
  const [standing] = await findStandings(ledger, [reference]);
  return wholeCredit(standing)?.isAwaited === true;
}

/** A credit that only a notification reports, and that nothing has taken back. Throws `not_possible`. */
export async function requireAwaited(ledger: Ledger, reference: string) {
  const [standing] = await findStandings(ledger, [reference]);
  const credit = wholeCredit(standing);
  if (credit?.isAwaited === true) return { ...credit, bookedOn: credit.bookedOn ?? new Date().toISOString().slice(0, 10) };
  const message = `${reference} is no credit that only a notification reports: mintrail status names those; one that a statement lists is taken back by a debit of the bank`;
  throw new StopError({ code: 'not_possible', message });
}

/** A credit that was taken back as not booked, and that the bank has booked after all. */
export interface BookedAfterAll {
  credit: string;
  debit: string;
  currency: string;
  amount: MinorUnits;
  /** What became of it: it is unmatched again, its claim has ended, or its claim was settled before and nothing changes. */
  effect: 'unmatched' | 'claim_ended' | 'claim_settled';
}

/** Undoes that operators took credits back as not booked, which statements list now. */
export async function undoNotBooked(tx: LedgerTransaction, listed: readonly string[]): Promise<BookedAfterAll[]> {
  if (listed.length === 0) return [];
  const { rows } = await sql<Omit<BookedAfterAll, 'effect'> & { isSettled: boolean }>`
    select v.credit, v.debit, d.currency, v.amount,
      exists (select from claims k where k.reversal = v.reference and (k.state in ('recovered', 'written_off') or k.recovered > 0)) as is_settled
    from reversals v join bank_debits d on d.reference = v.debit
    where v.credit = any(${listed}::text[]) and ${isNotBooked(sql`d.reference`)} order by v.credit
  `.execute(tx);
  const booked: BookedAfterAll[] = [];
  for (const { isSettled, ...row } of rows) {
    if (isSettled) booked.push({ ...row, effect: 'claim_settled' });
    else {
      const { credits } = await undoReversal(tx, row.debit, { reason: 'a statement lists it', operator: 'import' });
      booked.push({ ...row, effect: credits[0]?.isUnmatched === true ? 'unmatched' : 'claim_ended' });
    }
  }
  return booked;
}
