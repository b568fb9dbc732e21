import { type Caller, profilesOf } from '../access/permissions.ts';
import type { Ledger } from '../ledger.ts';

/** Whether an id is that of an order of one of the caller's profiles, or of its payout. */
export async function isOwnPayout(ledger: Ledger, caller: Caller, id: string): Promise<boolean> {
  const found = await ledger
    .selectFrom('orders as o')
    .leftJoin('legs as l', (join) => join.onRef('l.orderId', '=', 'o.id').on('l.kind', '=', 'payout'))
    .leftJoin('payments as p', 'p.leg', 'l.id')
    .where((where) => where.or([where('o.id', '=', id), where('p.id', '=', id)]))
    .where('o.profile', 'in', profilesOf(ledger, caller))
    .select('o.id')
    .executeTakeFirst();
  return found !== undefined;
}
