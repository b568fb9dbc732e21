import { sql } from 'kysely';
import { accounts } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { reversalSource } from '../../book/reversal-source.ts';

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
