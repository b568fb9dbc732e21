import { sql } from 'kysely';
import { limitHiddenFromPlanner } from '../hidden-from-planner.ts';
import { inputRows } from '../input-rows.ts';
import type { Ledger, LedgerTransaction } from '../ledger.ts';
import { mostCounted, type Waiting } from '../most-counted.ts';

/** Whether a credit is awaited in a statement, because only notifications report it. */
export interface AwaitedCredit {
  reference: string;
  isAwaited: boolean;
}

/** Records which known credits are awaited now, and which a statement lists, unless an operator has said under which reference it does. */
export async function recordAwaited(tx: LedgerTransaction, credits: readonly AwaitedCredit[]): Promise<void> {
  if (credits.length === 0) return;
  await sql`
    update credits c set is_awaited = g.is_awaited from ${inputRows(credits, 'reference text, is_awaited boolean')} g
    where c.reference = g.reference and c.stated_as is null
  `.execute(tx);
}

/** Days after which a statement lists what was notified: lines of more days between are other money (docs/bank-files.md). */
const mostDaysAwaited = 5;

/** Credits of an account that are awaited although the statements of the days after them are there. */
export interface OverdueCredits extends Waiting {
  account: string;
}

/** Those credits, by account. Costs what waits, and the number of statements. */
export async function overdueCredits(ledger: Ledger): Promise<OverdueCredits[]> {
  const { rows } = await sql<OverdueCredits>`
    select a.account, count(*)::int as count, min(c.received_at) as since, (array_agg(c.reference order by c.booked_on, c.reference))[1] as oldest
    from (select account, max(closed_on) as closed_on from bank_documents where closed_on is not null group by account) a
    cross join lateral (
      select received_at, booked_on, reference from credits c
      where is_awaited and bank_account = a.account and booked_on <= a.closed_on - ${mostDaysAwaited}::integer
        and state in ('matched', 'unmatched', 'returned') and not exists (select from reversals v where v.credit = c.reference)
      order by booked_on limit ${limitHiddenFromPlanner(mostCounted.overdue + 1)}
    ) c
    group by a.account order by a.account
  `.execute(ledger);
  return rows;
}
