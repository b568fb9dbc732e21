import { sql } from 'kysely';
import type { LedgerTransaction } from '../ledger.ts';
import { settleLegs } from '../orders/settling/settle-legs.ts';

/** Why an order is rejected that no chain has issued. */
const reason = 'the bank took the credit back before its tokens were issued';

/**
 * Rejects the orders whose credits the bank took back during the recovery and that no chain turned out to have issued: nothing is issued any more, and
 * their claims end. Call it once every outcome is explained. Returns how many.
 */
export async function rejectTakenBackOrders(tx: LedgerTransaction): Promise<number> {
  const { rows } = await sql<{ legId: string }>`
    select l.id as leg_id
    from claims k join credits c on c.reference = k.credit join open_legs l on l.order_id = c.order_id and l.kind = 'issue' and l.state = 'ready'
    where k.state = 'pending' and not exists (select from leg_failures f where f.leg = l.id and f.transaction is not null)
      and not exists (select from unrecorded_outcomes u where u.order_id = l.order_id and u.kind = 'issue' and u.state <> 'applied')
    order by l.id for update of l
  `.execute(tx);
  await settleLegs(
    tx,
    rows.map(({ legId }) => ({ legId, txHash: null, blockNumber: null, refused: reason })),
  );
  return rows.length;
}
