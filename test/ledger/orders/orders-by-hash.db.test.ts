import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createExplainingPool } from '../../../bench/history/executed-plans.ts';
import { createLedger } from '../../../src/ledger/ledger.ts';
import { listOrders } from '../../../src/ledger/orders/orders.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createCustomer } from '../../support/customer.ts';
import { createTestDatabase } from '../../support/database.ts';
import { openAgain } from '../../../src/ledger/orders/legs/open-again.ts';

it('the orders of a hash are found in some pages, however many have ended since the last vacuum', async () => {
  const database = await createTestDatabase();
  const { pool, take } = createExplainingPool(database.url, 'generic');
  const ledger = createLedger(pool, wakesNobody);
  const { profile, address } = await createCustomer(ledger, 'chiado');
  await sql`
    insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo)
    select uuidv7(), 'issue', ${profile}, ${address}, 'chiado', 'eur', 1, '{}', '' from generate_series(1, 5000)`.execute(ledger);
  await sql`
    insert into leg_history (order_id, kind, position, chain, currency, account, amount, outcome, done_at, reason, block_number, tx_hash)
    select id, 'issue', 0, 'chiado', 'eur', address, 1, 'refused', now(), 'blocked', 7, '0x' || md5(id::text) || md5(id::text) from orders`.execute(
    ledger,
  );
  await sql`update orders set tx_hashes = array['0x' || md5(id::text) || md5(id::text)]`.execute(ledger);
  const { rows } = await sql<{ txHash: string }>`select tx_hashes[1] as tx_hash from orders limit 1`.execute(ledger);
  take();
  const page = await listOrders(ledger, { profile, txHash: rows[0]?.txHash }, { limit: 50 });
  expect(page.rows).toHaveLength(1);
  for (const { pages, plan } of take()) expect(pages, plan).toBeLessThan(20);
  // Its leg was refused, and is tried again.
  await sql`
    with ${openAgain(sql`select * from leg_history where tx_hash = ${rows[0]?.txHash}`)} select from opened_again`.execute(ledger);
  expect(await listOrders(ledger, { profile, txHash: rows[0]?.txHash }, { limit: 50 })).toEqual(page);
  await ledger.destroy();
  await database.drop();
});
