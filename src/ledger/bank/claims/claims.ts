import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { formatAmount, minorUnits } from '../../../platform/money.ts';
import { accounts } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { reversalSource } from '../../book/reversal-source.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { endSettled } from '../unmatched/settle-credit.ts';

/** The claims that wait: for the end of an order or a payment (`pending`), or for an operator (`open`), the oldest first. */
export async function listClaims(ledger: Ledger, limit: number) {
  const waiting = claimsWithCredits(ledger)
    .where('claims.state', 'in', ['pending', 'open'])
    .select(['claims.createdAt', 'credits.orderId']);
  return waiting.orderBy('claims.createdAt').orderBy('claims.reversal').limit(limit).execute();
}

/** An open claim, for who is about to end it; it stays as it is until the transaction ends where it is to be locked. Throws `not_found`. */
export async function findOpenClaim(ledger: Ledger, reversal: string, lock?: 'lock') {
  const query = claimsWithCredits(ledger).where('claims.reversal', '=', reversal);
  const claim = await (lock === undefined ? query : query.forUpdate('claims')).executeTakeFirst();
  if (claim?.state === 'open') return claim;
  const what = claim === undefined ? `There is no claim ${reversal}` : `The claim ${reversal} is ${claim.state.replace('_', ' ')}`;
  throw new StopError({ code: 'not_found', message: `${what}; \`mintrail bank claims\` lists those that are open` });
}

function claimsWithCredits(ledger: Ledger) {
  return ledger
    .selectFrom('claims')
    .innerJoin('credits', 'credits.reference', 'claims.credit')
    .select(['claims.reversal', 'claims.credit', 'claims.state', 'claims.amount', 'claims.recovered', 'claims.currency', 'credits.payer']);
}

/**
 * Makes a claim good by an unmatched credit, once: with which the customer pays, all or in part. Returns what is left of the claim. Throws `not_found`, `not_possible`.
 */
export async function recoverClaim(ledger: Ledger, reversal: string, by: string) {
  return inTransaction(ledger, async (tx) => {
    const credit = await tx.selectFrom('credits').where('reference', '=', by).selectAll().forUpdate().executeTakeFirst();
    const claim = await findOpenClaim(tx, reversal, 'lock');
    const open = minorUnits(claim.amount - claim.recovered);
    if (credit?.state !== 'unmatched') throw notFor(by, credit === undefined ? 'there is no such credit' : `it is ${credit.state}`);
    if (credit.currency !== claim.currency || credit.amount === null || credit.amount > open)
      throw notFor(by, `${formatAmount(open)} ${claim.currency.toUpperCase()} are open, and it is over another currency, or more`);
    await endSettled(tx, by, { as: 'claim', reason: `it makes the claim ${reversal} good`, to: accounts.claims });
    const rest = minorUnits(open - credit.amount);
    await sql`
      update claims set recovered = amount - ${rest}::bigint, state = case ${rest}::bigint when 0 then 'recovered' else state end,
        ended_at = case ${rest}::bigint when 0 then now() end where reversal = ${reversal} and state = 'open'
    `.execute(tx);
    return { reversal, rest };
  });
}

/** Writes what is open of a claim off, as the operator's loss, once. Returns what that is. Throws `not_found`. */
export async function writeOffClaim(ledger: Ledger, reversal: string, reason: string) {
  return inTransaction(ledger, async (tx) => {
    const { amount, recovered } = await findOpenClaim(tx, reversal, 'lock');
    await sql`
      with ended as (
        update claims set state = 'written_off', reason = ${reason}, ended_at = now() where reversal = ${reversal} and state = 'open' returning *
      ), ${bookEntries(sql`
        select 'claim-written-off' as kind, reversal as source, null::date as booked_on, ${accounts.operator} as debit, ${accounts.claims} as credit, currency,
          amount - recovered as amount
        from ended`)}
      select
    `.execute(tx);
    return { reversal, rest: minorUnits(amount - recovered) };
  });
}

function notFor(credit: string, why: string): StopError {
  return new StopError({ code: 'not_possible', message: `The credit ${credit} cannot make the claim good: ${why}` });
}

/**
 * Decides the claims on credits whose return to the payer is decided: it was made, so the money is lost; or it was refused, so that it is still
 * here, and the bank has taken it. A claim that was open before and of which nothing is recovered ends by that, too. A claim
 * over a part of a credit does not depend on its return.
 */
export async function decideReturnClaims(tx: LedgerTransaction, payments: readonly string[]): Promise<void> {
  if (payments.length === 0) return;
  await sql`
    with decided as (
      select c.reversal, c.credit, p.state from claims c join reversals v on v.reference = c.reversal join payments p on p.credit = c.credit
      where not v.is_part and p.id = any(${payments}::uuid[]) and ((c.state = 'pending' and p.state in ('accepted', 'refused'))
        or (c.state = 'open' and c.recovered = 0 and p.state = 'refused'))
    ), ended as (
      update claims c set state = case d.state when 'accepted' then 'open' else 'void' end, ended_at = case d.state when 'refused' then now() end
      from decided d where c.reversal = d.reversal and (c.state = 'pending' or (c.state = 'open' and c.recovered = 0 and d.state = 'refused'))
      returning c.*
    ), reversed as (
      update credits r set state = 'reversed', reason = 'the bank took the credit back while it was being returned'
      from ended e where r.reference = e.credit and e.state = 'void' and r.state = 'unmatched'
    ), ${bookEntries(sql`
      select 'claim-void' as kind, ${reversalSource(sql`e.reversal`)} as source, null::date as booked_on, ${accounts.suspense} as debit, ${accounts.claims} as credit, e.currency, e.amount
      from ended e where e.state = 'void'`)}
    select
  `.execute(tx);
}
