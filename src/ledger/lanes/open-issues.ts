import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';

/** What waits to be issued on a network, by currency. It reads the ready legs, of which there are few when all is well. */
export async function openIssues(ledger: Ledger, chain: Chain): Promise<Map<Currency, MinorUnits>> {
  const { rows } = await sql<{ currency: Currency; amount: string }>`
    select currency, sum(amount)::text as amount from open_legs
    where chain = ${chain} and kind = 'issue' and signed_by = 'nobody' and state = 'ready' and held_until is null group by currency
  `.execute(ledger);
  return new Map(rows.map(({ currency, amount }) => [currency, BigInt(amount) as MinorUnits]));
}
