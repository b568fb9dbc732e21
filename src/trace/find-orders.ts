import { sql } from 'kysely';
import { findProfileName, findProfilesByName } from '../ledger/customers/profile-search.ts';
import { ordersOfHash } from '../ledger/orders/orders.ts';
import { idOfEndToEndId } from '../ledger/end-to-end-id.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { hasOrders, type OrderKey, searchOrders } from './order-search.ts';
import { isUuid } from '../platform/uuid.ts';
import { readKeys, readNameWords } from './read-text.ts';

/** Orders that a text can mean at most. A transaction that carries more legs is traced by one of its orders. */
const mostOrders = 20;

/** What a text can be taken for. */
const textMeanings = [
  'order',
  'leg',
  'payment',
  'transaction',
  'bank reference',
  'EndToEndId',
  'profile',
  'address',
  'iban',
  'amount',
  'memo',
  'name',
] as const;

/** What a text means, and the orders that belong to it: few, by their ids, or any number that have something in common. */
export type TextMeaning = { meaning: (typeof textMeanings)[number] } & (
  | { orders: string[]; isCut: boolean; key?: never }
  | { key: OrderKey; orders?: never }
);

/**
 * The orders that a text means: everything of {@link findMeanings}, the first that fits. {@link mostOrders} at most, the latest where there may be many;
 * `isCut` when there are more.
 */
export async function findOrders(ledger: Ledger, text: string): Promise<{ orders: string[]; isCut: boolean }> {
  const [first] = await findMeanings(ledger, text);
  if (first === undefined) return { orders: [], isCut: false };
  if (first.key === undefined) return { orders: first.orders, isCut: first.isCut };
  const { orders } = await searchOrders(ledger, { key: first.key }, { limit: mostOrders + 1 });
  return { orders: orders.slice(0, mostOrders).map(({ id }) => id), isCut: orders.length > mostOrders };
}

/**
 * What a text can be taken for, the likeliest first; only meanings that orders have. The text is the id of an order, a leg, a payment or a profile; the hash
 * of a transaction; the bank's reference of a credit, of its entry or of a debit; an EndToEndId; an address; the IBAN of a payer, a payee or a customer; an
 * amount, with or without its currency; a whole memo; or words that a profile's name has, or their beginnings. Each is looked up by an index.
 */
export async function findMeanings(ledger: Ledger, text: string): Promise<TextMeaning[]> {
  const trimmed = text.trim();
  // PostgreSQL's texts have no such character.
  if (trimmed === '' || trimmed.includes('\0')) return [];
  if (/^0x[0-9a-f]{64}$/i.test(trimmed)) return ofIds('transaction', await ordersOfTransaction(ledger, trimmed.toLowerCase()));
  const byId = await meaningsOfId(ledger, trimmed);
  if (byId.length > 0) return byId;
  return [
    ...ofIds('bank reference', await ordersOfBankReference(ledger, trimmed)),
    ...ofIds('EndToEndId', await ordersOfEndToEndId(ledger, trimmed)),
    ...(await meaningsOfKeys(ledger, trimmed)),
    ...(await meaningsOfName(ledger, trimmed)),
  ];
}

async function meaningsOfId(ledger: Ledger, text: string): Promise<TextMeaning[]> {
  const id = isUuid(text) ? text.toLowerCase() : idOfEndToEndId(text);
  if (id === undefined) return [];
  const orders = await ordersOfId(ledger, id);
  if (orders.length > 0) return meaningsOf(orders);
  const key = { by: 'profiles', profiles: [id] } as const;
  return (await findProfileName(ledger, id)) === undefined ? [] : [{ meaning: 'profile', key }];
}

async function meaningsOfKeys(ledger: Ledger, text: string): Promise<TextMeaning[]> {
  const meanings: TextMeaning[] = [];
  for (const key of readKeys(text)) {
    if (key.by !== 'profiles' && (await hasOrders(ledger, key))) meanings.push({ meaning: key.by, key });
  }
  return meanings;
}

async function meaningsOfName(ledger: Ledger, text: string): Promise<TextMeaning[]> {
  const words = readNameWords(text);
  const profiles = words.length === 0 ? [] : await findProfilesByName(ledger, words);
  const key = { by: 'profiles', profiles } as const;
  return profiles.length > 0 && (await hasOrders(ledger, key)) ? [{ meaning: 'name', key }] : [];
}

function ofIds(meaning: TextMeaning['meaning'], ids: readonly string[]): TextMeaning[] {
  const orders = [...new Set(ids)];
  return orders.length === 0 ? [] : [{ meaning, orders: orders.slice(0, mostOrders), isCut: orders.length > mostOrders }];
}

interface OrderOfId {
  id: string;
  meaning: 'order' | 'leg' | 'payment';
}

/** One meaning: ids of different things never are the same. */
function meaningsOf(orders: readonly OrderOfId[]): TextMeaning[] {
  const meaning = orders[0]?.meaning ?? 'order';
  return ofIds(
    meaning,
    orders.map(({ id }) => id),
  );
}

async function ordersOfId(ledger: Ledger, id: string): Promise<OrderOfId[]> {
  const { rows } = await sql<OrderOfId>`
    select id, 'order' as meaning from orders where id = ${id}
    union select order_id, 'leg' from leg_history where id = ${id}
    union select l.order_id, 'payment' from payments p join leg_history l on l.id = p.leg where p.id = ${id}
    union select c.order_id, 'payment' from payments p join credits c on c.reference = p.credit where p.id = ${id} and c.order_id is not null
  `.execute(ledger);
  return rows;
}

async function ordersOfTransaction(ledger: Ledger, hash: string): Promise<string[]> {
  // The orders are looked up before they are sorted: the planner may else look for the ids in the whole index by time.
  const { rows } = await sql<{ id: string }>`
    with of_transaction as materialized (
      select id, placed_at from orders where id = any(array(
        select l.order_id from transaction_attempts a join legs l on l.transaction = a.transaction where a.hash = ${hash}
        union ${ordersOfHash(hash)}
      ))
    ) select id from of_transaction order by placed_at, id limit ${mostOrders + 1}
  `.execute(ledger);
  return rows.map((row) => row.id);
}

async function ordersOfBankReference(ledger: Ledger, reference: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select order_id as id from credits
    where (reference = ${reference} or entry_reference = ${reference}) and order_id is not null
    union select k.order_id from credits r join credits k on k.reference = r.repeats
      where r.reference = ${reference} and r.state = 'repeated' and k.order_id is not null
    union select l.order_id from bank_debits d join payments p on p.id = any(d.more_payments || d.payment) join leg_history l on l.id = p.leg where d.reference = ${reference}
    limit ${mostOrders + 1}
  `.execute(ledger);
  return rows.map((row) => row.id);
}

/** By the EndToEndId that payers gave: those of our own payments are their ids. Some write the same one each time. */
async function ordersOfEndToEndId(ledger: Ledger, endToEndId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select order_id as id from credits
    where end_to_end_id is not null and hashtextextended(end_to_end_id, 0) = hashtextextended(${endToEndId}, 0)
      and end_to_end_id = ${endToEndId} and order_id is not null
    limit ${mostOrders + 1}
  `.execute(ledger);
  return rows.map((row) => row.id);
}
