import { type RawBuilder, sql } from 'kysely';

/**
 * SQL of a query: the ids of the orders that a transaction, in lower case, has carried out or refused. A leg that was refused and is tried again, as when tokens
 * are given back, keeps the hash among its failures.
 */
export function ordersOfHash(hash: string): RawBuilder<{ id: string }> {
  return sql`select order_id as id from leg_history where tx_hash = ${hash}
    union select l.order_id from leg_failures f join leg_history l on l.id = f.leg where f.tx_hash = ${hash}`;
}
