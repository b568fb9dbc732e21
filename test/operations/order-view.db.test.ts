import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { orders } from '../../src/operations/orders/order-view.ts';
import { readView } from '../../src/operations/view.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';

const payments = testPayments({ isShared: true });

it('the list of orders finds what fits behind thousands that do not, and goes on behind its last row', async () => {
  const { ledger, customer } = payments;
  const { order: oldest } = await payments.burnt({ amount: 700n });
  const { order: old } = await payments.burnt({ amount: 500n });
  // More than one part of a search looks at.
  await sql`
    insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, placed_at)
    select gen_random_uuid(), 'issue', ${customer.profile}, ${customer.address}, 'chiado', 'eur', 1, '{}', '', now() + interval '1 minute'
    from generate_series(1, 5001)`.execute(ledger);
  const redeemed = { kind: 'redeem' } as const;
  const first = await readView(orders, ledger, redeemed, 1);
  expect(first).toMatchObject({ rows: [{ id: old, amount: '5.00' }], hasMore: true, next: old });
  const second = await readView(orders, ledger, { ...redeemed, after: first.next }, 1);
  expect(second).toMatchObject({ rows: [{ id: oldest, amount: '7.00' }], hasMore: false });
  expect(await readView(orders, ledger, { state: ['open'], address: customer.address, ...redeemed }, 10)).toMatchObject({
    rows: [{ id: old }, { id: oldest }],
  });
  expect((await readView(orders, ledger, { state: ['processed'], ...redeemed }, 10)).rows).toEqual([]);
  expect((await readView(orders, ledger, { from: new Date(Date.now() + 60_000).toISOString(), ...redeemed }, 10)).rows).toEqual([]);
});
