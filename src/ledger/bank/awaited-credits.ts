import { sql } from 'kysely';
import { inputRows } from '../input-rows.ts';
import type { LedgerTransaction } from '../ledger.ts';

/** Whether a credit is awaited in a statement, because only notifications report it. */
export interface AwaitedCredit {
  reference: string;
  isAwaited: boolean;
}

/** Records which known credits are awaited now, which no statement lists any more, and which one lists, unless an operator has said under which reference it does. */
export async function recordAwaited(tx: LedgerTransaction, credits: readonly AwaitedCredit[]): Promise<void> {
  if (credits.length === 0) return;
  await sql`
    with recorded as (
      update credits c set is_awaited = g.is_awaited from ${inputRows(credits, 'reference text, is_awaited boolean')} g
      where c.reference = g.reference and c.stated_as is null returning c.reference, c.is_awaited
    )
    update bank_bookings b set statement = null from recorded r where r.is_awaited and b.source = r.reference and b.statement is not null
  `.execute(tx);
}
