import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../platform/addresses.ts';
import type { Chain } from '../platform/chains.ts';
import type { Currency, MinorUnits } from '../platform/money.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { orderColumns, ordersInState } from '../ledger/orders/orders-in-state.ts';
import type { OrderState } from '../schema/states.ts';

/** What an index finds orders by, the latest first. */
export type OrderKey =
  | { by: 'iban'; iban: string }
  | { by: 'address'; address: LowerAddress }
  | { by: 'amount'; amount: MinorUnits; currency: Currency | undefined }
  | { by: 'memo'; memo: string }
  /** A few, which are searched together. */
  | { by: 'profiles'; profiles: readonly string[] };

/** Which orders are searched; an absent field restricts nothing. */
export interface OrderSearch {
  key?: OrderKey | undefined;
  states?: readonly OrderState[] | undefined;
  kind?: 'issue' | 'redeem' | undefined;
  chain?: Chain | undefined;
  currency?: Currency | undefined;
  profile?: string | undefined;
  /** This time or later. */
  from?: Date | undefined;
  until?: Date | undefined;
}

/** A part of a search: the orders that match, the latest first, and where the next part begins. */
export interface OrderSearchPage {
  orders: FoundOrder[];
  /** The order behind which the next part begins; undefined at the end. */
  next: string | undefined;
  /** When that order was placed: everything since then has been looked at. */
  searchedSince: Date | undefined;
}

/** An order in a list. */
export type FoundOrder = Awaited<ReturnType<typeof findOrdersById>>[number];

/**
 * Orders that one part of a search looks at, at most. Filters that no index has may match none of them: the part then ends without a result, and
 * the next one goes on from there. So no part costs more because the ledger has a long history.
 */
const examinedOrders = 5_000;

/** One part of a search, the latest orders first. `after` is `next` of the part before. */
export async function searchOrders(
  ledger: Ledger,
  search: OrderSearch,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<OrderSearchPage> {
  const sources = (await sourcesOf(ledger, search)).map((condition) => inRange(condition, search, after));
  if (sources.length === 0) return { orders: [], next: undefined, searchedSince: undefined };
  const examined = latestOf(sources, sql.join(orderColumns.map((column) => sql.ref(column))), examinedOrders);
  const { rows: orders } = await sql<FoundOrder>`
    select ${columns} from ${examined} o where ${filterOf(search)} order by o.placed_at desc, o.id desc limit ${limit + 1}`.execute(ledger);
  if (orders.length > limit) return { orders: orders.slice(0, limit), ...endAt(orders[limit - 1]) };
  const { rows: last } = await sql<Pick<FoundOrder, 'id' | 'placedAt'>>`
    select id, placed_at from ${latestOf(sources, sql`id, placed_at`, examinedOrders)} o
    order by placed_at desc, id desc offset ${examinedOrders - 1} limit 1`.execute(ledger);
  return { orders, ...endAt(last[0]) };
}

/** These orders, as far as they match, the latest first. */
export async function findOrdersById(ledger: Ledger, ids: readonly string[], search: Omit<OrderSearch, 'key'> = {}) {
  const { rows } = await sql<{
    id: string;
    kind: 'issue' | 'redeem';
    state: OrderState;
    profile: string;
    profileName: string;
    address: LowerAddress;
    chain: Chain;
    currency: Currency;
    amount: MinorUnits;
    memo: string;
    counterpartName: string | null;
    counterpartIban: string | null;
    placedAt: Date;
    processedAt: Date | null;
    rejectedReason: string | null;
  }>`
    with named as materialized (select * from orders where id = any(${ids}::uuid[]))
    select ${columns} from named o where ${filterOf(search)} and ${rangeOf(search)} order by o.placed_at desc, o.id desc`.execute(ledger);
  return rows;
}

/** Whether any order has the key. */
export async function hasOrders(ledger: Ledger, key: OrderKey): Promise<boolean> {
  const { orders } = await searchOrders(ledger, { key }, { limit: 1 });
  return orders.length > 0;
}

function endAt(order: Pick<FoundOrder, 'id' | 'placedAt'> | undefined): Pick<OrderSearchPage, 'next' | 'searchedSince'> {
  return { next: order?.id, searchedSince: order?.placedAt };
}

/** What an index has in the order of the search; no order is in two of them. */
async function sourcesOf(ledger: Ledger, { key, states = [], profile }: OrderSearch): Promise<Source[]> {
  if (key?.by === 'address')
    return (await profilesOfOrders(ledger, key.address)).map((owner) => ofOrders(sql`address = ${key.address} and profile = ${owner}`));
  if (key !== undefined) return sourcesOfKey(key).map(ofOrders);
  if (profile !== undefined) return [ofOrders(sql`profile = ${profile}`)];
  if (states.length === 0 || states.includes('processed')) return [ofOrders(sql`true`)];
  return [...new Set(states)].map((state) => ({
    relation: sql`${ordersInState(state)} orders`,
    condition: sql`state = ${sql.lit(state)}`,
  }));
}

function ofOrders(condition: RawBuilder<unknown>): Source {
  return { relation: sql`orders`, condition };
}

/** Where a part of a search looks, and which of the rows there it is about. */
interface Source {
  /** SQL of a relation with the columns of `orders`. */
  relation: RawBuilder<unknown>;
  condition: RawBuilder<unknown>;
}

/** The profiles that orders of an address belong to, each found by one index lookup, however many orders it has. */
async function profilesOfOrders(ledger: Ledger, address: LowerAddress): Promise<string[]> {
  const firstBehind = (condition: RawBuilder<unknown>) =>
    sql`(select profile from orders where address = ${address} and ${condition} order by profile limit 1)`;
  const { rows } = await sql<{ profile: string }>`
    with recursive profiles (profile) as (
      select ${firstBehind(sql`true`)}
      union all
      select ${firstBehind(sql`profile > p.profile`)} from profiles p where p.profile is not null
    ) select profile from profiles where profile is not null`.execute(ledger);
  return rows.map(({ profile }) => profile);
}

function sourcesOfKey(key: Exclude<OrderKey, { by: 'address' }>): RawBuilder<unknown>[] {
  if (key.by === 'amount') return [sql`amount = ${key.amount}::bigint`];
  if (key.by === 'memo')
    return [
      sql`memo <> '' and hashtextextended(lower(memo), 0) = hashtextextended(lower(${key.memo}), 0) and lower(memo) = lower(${key.memo})`,
    ];
  if (key.by === 'profiles') return key.profiles.map((profile) => sql`profile = ${profile}`);
  const counterpart = sql`counterpart -> 'identifier' ->> 'iban'`;
  return [
    sql`${counterpart} is not null and hashtextextended(${counterpart}, 0) = hashtextextended(${key.iban}, 0) and ${counterpart} = ${key.iban}`,
    // A customer's own IBAN: the orders of the address that it belongs to.
    sql`profile = (select profile from ibans where iban = ${key.iban}) and address = (select address from ibans where iban = ${key.iban})
      and coalesce(${counterpart}, '') <> ${key.iban}`,
  ];
}

/** Adds the dates and the cursor, which the indexes have too. */
function inRange({ relation, condition }: Source, search: OrderSearch, after: string | undefined): Source {
  // Compared in SQL: a JavaScript date would lose the microseconds.
  const behind = after === undefined ? sql`true` : sql`(placed_at, id) < (select placed_at, id from orders where id = ${after})`;
  return { relation, condition: sql`${condition} and ${rangeOf(search)} and ${behind}` };
}

function rangeOf({ from, until }: OrderSearch): RawBuilder<unknown> {
  return sql`${from === undefined ? sql`true` : sql`placed_at >= ${from}`} and ${until === undefined ? sql`true` : sql`placed_at < ${until}`}`;
}

/** The latest orders of all sources together, each limited by itself, so that no plan sorts what it could read in order. */
function latestOf(sources: readonly Source[], selected: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  const parts = sources.map(
    ({ relation, condition }) =>
      sql`(select ${selected} from ${relation} where ${condition} order by placed_at desc, id desc limit ${limit})`,
  );
  if (parts.length === 1) return parts[0] as RawBuilder<unknown>;
  return sql`(select * from (${sql.join(parts, sql` union all `)}) parts order by placed_at desc, id desc limit ${limit})`;
}

/** The conditions that only the rows themselves answer. */
function filterOf({ key, states = [], kind, chain, currency, profile }: OrderSearch): RawBuilder<unknown> {
  const ofAmount = key?.by === 'amount' ? key.currency : undefined;
  const conditions = [
    ...(states.length === 0 ? [] : [sql`o.state = any(${states}::text[])`]),
    ...(kind === undefined ? [] : [sql`o.kind = ${kind}`]),
    ...(chain === undefined ? [] : [sql`o.chain = ${chain}`]),
    ...[currency, ofAmount].filter((value) => value !== undefined).map((value) => sql`o.currency = ${value}`),
    ...(profile === undefined ? [] : [sql`o.profile = ${profile}`]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

const columns = sql`
  o.id, o.kind, o.state, o.profile, (select name from profiles where id = o.profile) as profile_name, o.address, o.chain, o.currency, o.amount, o.memo,
  coalesce(o.counterpart -> 'details' ->> 'name', o.counterpart -> 'details' ->> 'companyName',
    nullif(concat_ws(' ', o.counterpart -> 'details' ->> 'firstName', o.counterpart -> 'details' ->> 'lastName'), '')) as counterpart_name,
  o.counterpart -> 'identifier' ->> 'iban' as counterpart_iban, o.placed_at, o.processed_at, o.rejected_reason`;
