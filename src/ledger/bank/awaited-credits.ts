import { sql } from 'kysely';
import { inputRows } from '../input-rows.ts';
import type { LedgerTransaction } from '../ledger.ts';

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
