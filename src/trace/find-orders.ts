import { sql } from 'kysely';
import { idOfEndToEndId } from '../ledger/end-to-end-id.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { isUuid } from '../platform/uuid.ts';

/** Orders that a text can mean at most. A transaction that carries more legs is traced by one of its orders. */
const mostOrders = 20;

/**
 * The orders that a text means: the id of an order, a leg or a payment; the hash of a transaction; the bank's reference of a credit, of
 * its entry or of a debit; the EndToEndId of a payment. {@link mostOrders} at most; `isCut` when there are more.
 */
export async function findOrders(ledger: Ledger, text: string): Promise<{ orders: string[]; isCut: boolean }> {
  const rows = await candidates(ledger, text);
  const orders = [...new Set(rows)];
  return { orders: orders.slice(0, mostOrders), isCut: orders.length > mostOrders };
}

async function candidates(ledger: Ledger, text: string): Promise<string[]> {
  const id = isUuid(text) ? text.toLowerCase() : idOfEndToEndId(text);
  if (id !== undefined) {
    const ofId = await ordersOfId(ledger, id);
    if (ofId.length > 0) return ofId;
  }
  return /^0x[0-9a-f]{64}$/i.test(text) ? ordersOfHash(ledger, text.toLowerCase()) : ordersOfBankReference(ledger, text);
}

async function ordersOfId(ledger: Ledger, id: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from orders where id = ${id}
    union select order_id from legs where id = ${id}
    union select l.order_id from payments p join legs l on l.id = p.leg where p.id = ${id}
    union select c.order_id from payments p join credits c on c.reference = p.credit where p.id = ${id} and c.order_id is not null
  `.execute(ledger);
  return rows.map((row) => row.id);
}

async function ordersOfHash(ledger: Ledger, hash: string): Promise<string[]> {
  // The orders are looked up before they are sorted: the planner may else look for the ids in the whole index by time.
  const { rows } = await sql<{ id: string }>`
    with found as materialized (
      select id, placed_at from orders where id = any(array(
        select l.order_id from transaction_attempts a join legs l on l.transaction = a.transaction where a.hash = ${hash}
        union select id from orders where tx_hashes @> array[${hash}::text]
      ))
    ) select id from found order by placed_at, id limit ${mostOrders + 1}
  `.execute(ledger);
  return rows.map((row) => row.id);
}

async function ordersOfBankReference(ledger: Ledger, reference: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select order_id as id from credits
    where (reference = ${reference} or entry_reference = ${reference}) and order_id is not null
    union select k.order_id from credits r join credits k on k.reference = r.repeats
      where r.reference = ${reference} and r.state = 'repeated' and k.order_id is not null
    union select l.order_id from bank_debits d join payments p on p.id = d.payment join legs l on l.id = p.leg where d.reference = ${reference}
    limit ${mostOrders + 1}
  `.execute(ledger);
  return rows.map((row) => row.id);
}
