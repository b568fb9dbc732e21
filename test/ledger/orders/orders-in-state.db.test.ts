import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { countOpenOrders } from '../../../src/ledger/orders/order-queries.ts';
import { listOrders } from '../../../src/ledger/orders/orders.ts';
import type { OrderState } from '../../../src/schema/states.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { orders } from '../../../src/operations/orders/order-view.ts';
import { readView } from '../../../src/operations/view.ts';
import { searchOrders } from '../../../src/trace/order-search.ts';
import { emptyLedger, testLedger } from '../../support/test-ledger.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';

const { ledger } = testLedger();
let customer: TestCustomer;

beforeEach(async () => {
  await emptyLedger(ledger);
  customer = await createCustomer(ledger, 'chiado');
});

const states = ['placed', 'pending', 'processed', 'rejected'] as const;

/** Places orders at different times, the latest last. */
async function place(count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, placed_at)
    select gen_random_uuid(), 'issue', ${customer.profile}, ${customer.address}, 'chiado', 'eur', 1, '{}', 'memo', now() + make_interval(secs => n)
    from generate_series(1, ${count}::int) n returning id`.execute(ledger);
  return rows.map(({ id }) => id);
}

async function move(state: OrderState, ...orders: (string | undefined)[]): Promise<void> {
  await sql`
    update orders set state = ${state}, processed_at = case when ${state}::text = 'processed' then now() end,
      rejected_reason = case when ${state}::text = 'rejected' then 'refused' end
    where id = any(${orders}::uuid[])`.execute(ledger);
}

/** The orders of each state as partners, operators and the console list them. */
async function listed() {
  const { profile } = customer;
  const lists = states.map(async (state) => {
    const partner = (await listOrders(ledger, { profile, states: [state] }, { limit: 10 })).rows.map(({ id }) => id);
    expect((await readView(orders, ledger, { state: [state] }, 10)).rows.map(({ id }) => id)).toEqual(partner);
    expect((await searchOrders(ledger, { states: [state] }, { limit: 10 })).orders.map(({ id }) => id)).toEqual(partner);
    return [state, partner] as const;
  });
  return Object.fromEntries(await Promise.all(lists));
}

describe('open orders', () => {
  it('are those that are placed or pending, and lists of each state have its orders, the latest first', async () => {
    const [one, two, three, four] = await place(4);
    expect(await listed()).toEqual({ placed: [four, three, two, one], pending: [], processed: [], rejected: [] });
    await move('pending', one, two, three);
    expect(await listed()).toEqual({ placed: [four], pending: [three, two, one], processed: [], rejected: [] });
    expect(await countOpenOrders(ledger)).toEqual({ placed: 1, pending: 3 });
    await move('processed', one);
    await move('rejected', three, four);
    expect(await listed()).toEqual({ placed: [], pending: [two], processed: [one], rejected: [four, three] });
    expect(await countOpenOrders(ledger)).toEqual({ placed: 0, pending: 1 });
  });

  it('of several states are listed together, page by page, with other conditions', async () => {
    const [one, two, three, four] = await place(4);
    await move('pending', one, three);
    await move('rejected', two);
    const filter = { profile: customer.profile, address: customer.address, memo: 'memo', states: [...states] };
    const first = await listOrders(ledger, filter, { limit: 2 });
    expect(first).toMatchObject({ rows: [{ id: four }, { id: three }], total: 4, next: three });
    expect(await listOrders(ledger, filter, { limit: 2, after: three })).toMatchObject({ rows: [{ id: two }, { id: one }], total: 4 });
    expect(await listOrders(ledger, { ...filter, memo: 'another' }, { limit: 2 })).toMatchObject({ rows: [], total: 0 });
  });

  it('are found by the address that they have now', async () => {
    const [one, two] = await place(2);
    const address = lowerAddress(`0x${'ab'.repeat(20)}`);
    await sql`update orders set address = ${address} where id = ${one}`.execute(ledger);
    const filter = { profile: customer.profile, states: ['placed' as const] };
    expect(await listOrders(ledger, { ...filter, address }, { limit: 2 })).toMatchObject({ rows: [{ id: one, address }], total: 1 });
    expect(await listOrders(ledger, { ...filter, address: customer.address }, { limit: 2 })).toMatchObject({
      rows: [{ id: two }],
      total: 1,
    });
  });
});

it('a change of orders is no new entry in their indexes', async () => {
  const orders = await place(500);
  const changed = await inTransaction(ledger, async (tx) => {
    // What the connection changed before, and has not reported yet, counts too.
    const before = await changedInPlace(tx);
    await sql`update orders set state = 'pending' where id = any(${orders}::uuid[])`.execute(tx);
    return (await changedInPlace(tx)) - before;
  });
  expect(changed).toBe(500);
  const { rows } = await sql<{ definition: string }>`select indexdef as definition from pg_indexes where tablename = 'orders'`.execute(
    ledger,
  );
  for (const { definition } of rows) expect(definition).not.toMatch(/\b(state|tx_hashes|processed_at|rejected_reason)\b/);
});

async function changedInPlace(tx: Ledger): Promise<number> {
  const { rows } = await sql<{ changed: number }>`select pg_stat_get_xact_tuples_hot_updated('orders'::regclass)::int as changed`.execute(
    tx,
  );
  return rows[0]?.changed ?? 0;
}

it('the orders of an address are those of all profiles that it has belonged to, the latest first, part by part', async () => {
  const { address } = customer;
  const [first, second] = await place(2);
  customer = { ...(await createCustomer(ledger, 'gnosis')), address };
  const [third, fourth] = await place(2);
  await move('processed', third);
  await sql`update orders set placed_at = now() where id in (${first}, ${third})`.execute(ledger);
  const key = { by: 'address', address } as const;
  // Of the same time, by their ids.
  const oldest = [first, third].toSorted((one, other) => String(other).localeCompare(String(one)));
  const { orders: found, next } = await searchOrders(ledger, { key }, { limit: 2 });
  expect(found.map(({ id }) => id)).toEqual([fourth, second]);
  expect((await searchOrders(ledger, { key }, { limit: 3, after: next })).orders.map(({ id }) => id)).toEqual(oldest);
  expect((await searchOrders(ledger, { key, states: ['processed'] }, { limit: 3 })).orders.map(({ id }) => id)).toEqual([third]);
  expect(await searchOrders(ledger, { key: { by: 'address', address: lowerAddress(`0x${'9'.repeat(40)}`) } }, { limit: 1 })).toEqual({
    orders: [],
  });
});
