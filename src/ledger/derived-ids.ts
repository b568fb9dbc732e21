import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../platform/addresses.ts';
import type { Chain } from '../platform/chains.ts';
import { hexToUuid } from '../platform/uuid.ts';

/*
 * Ids that are made of what the outside world keeps, so that a ledger restored from an earlier back-up gives the same order and the same payment
 * the same id again (docs/restore.md, Derived ids). Those of orders are derived in SQL alone, because their secret does not leave the database. Those
 * of payments have a form in TypeScript, too; a test compares them.
 */

/** Orders and payments that one credit can become one after the other, each after a refusal. More need a person long before. */
export const mostGenerations = 100;

/** The redemption that a payout or a dependent order carries out. */
export interface RedemptionIdentity {
  chain: Chain;
  address: LowerAddress;
  /** EIP-191 hash of the signed message. */
  digest: string;
}

/** The UUIDv8 of a name (RFC 9562, appendix B.2): SHA-256, of which version and variant replace six bits. `derived_payment_id` in SQL. */
function derivedPaymentId(name: string): string {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return hexToUuid(bytes.toString('hex')) ?? '';
}

/** SQL: whether an EndToEndId, which has no dashes, is of the form of a derived id: no other software gives such ids. `column` is an expression. */
export function isDerivedEndToEndId(column: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${column} ~* '^[0-9a-f]{12}8[0-9a-f]{3}[89ab][0-9a-f]{15}$'`;
}

/** SQL: a relation of the column `id`: {@link returnPaymentId} of every generation. `reference` is an expression. */
export function returnPaymentIds(reference: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select derived_payment_id('return ' || generation || ' ' || ${reference}) as id from generate_series(0, ${sql.lit(mostGenerations)}) generation)`;
}

/** The id of the payment that returns a credit. `generation` counts the returns that the bank has refused. */
export function returnPaymentId(reference: string, generation: number): string {
  return derivedPaymentId(`return ${generation} ${reference}`);
}

/** The id of a recall, and of its answer, by what it says. */
export function recallId(facts: readonly unknown[]): string {
  return derivedPaymentId(`recall ${JSON.stringify(facts)}`);
}

/** The id of the payment, and so its EndToEndId, that pays a redemption out. */
export function payoutPaymentId({ chain, address, digest }: RedemptionIdentity): string {
  return derivedPaymentId(`payout ${chain} ${address} ${digest}`);
}

/**
 * SQL: {@link creditOrderId} of the first generation that no order has. A credit becomes an order again only after the one before was refused, so
 * the orders themselves count the generations. `reference` is an expression. Null when every generation is taken.
 * Looks each id up by the index, also where a plan is kept that was made while there were few orders; `offset 0` keeps it from being derived twice.
 */
export function nextCreditOrderId(reference: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(
    select derived.id from generate_series(0, ${sql.lit(mostGenerations)}) generation
    cross join lateral (select ${creditOrderId(reference, sql`generation`)} as id offset 0) derived
    where (select id from orders taken where taken.id = derived.id) is null limit 1)`;
}

/** SQL: the generation in which a credit's `reference` makes the order id in `order`; null when it makes it in none. Both are columns. */
export function generationOfCreditOrder(reference: string, order: string): RawBuilder<number | null> {
  return sql<number | null>`(
    select generation from generate_series(0, ${sql.lit(mostGenerations)}) generation
    where ${creditOrderId(sql.ref(reference), sql`generation`)} = ${sql.ref(order)} limit 1)`;
}

/** SQL: the id of an issue order of a credit. `generation` is 0 for its first order, 1 when it is matched again after a refusal, and so on. */
export function creditOrderId(reference: RawBuilder<unknown>, generation: RawBuilder<unknown>): RawBuilder<string> {
  return derivedOrderId(sql`'credit ' || ${generation} || ' ' || ${reference}`);
}

/**
 * SQL: the id of an order that the service places, derived of a name. Clients see it, so it has the form of a random UUID; and they may choose ids of orders
 * themselves, so nobody who does not have the secret can work it out. (A hash cut to 122 bits cannot be extended to that of a longer name.)
 */
function derivedOrderId(name: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`uuid_of_hash(sha256((select secret from order_id_secret) || convert_to(${name}, 'UTF8')), 4)`;
}

/** SQL: {@link returnPaymentId} of the first generation that no payment has. `reference` is an expression. */
export function nextReturnPaymentId(reference: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(
    select derived_payment_id('return ' || generation || ' ' || ${reference}) from generate_series(0, ${sql.lit(mostGenerations)}) generation
    where (select id from payments taken where taken.id = derived_payment_id('return ' || generation || ' ' || ${reference})) is null limit 1)`;
}

/** SQL: {@link payoutPaymentId} of the redemption in the row `orders` of that name. */
export function payoutPaymentIdOf(orders: string): RawBuilder<string> {
  return sql<string>`derived_payment_id(${redemptionName('payout', orders)})`;
}

/** SQL: the id of the dependent order that pays the redemption in the row `orders` of that name out on another chain. */
export function dependentOrderIdOf(orders: string): RawBuilder<string> {
  return derivedOrderId(redemptionName('dependent', orders));
}

function redemptionName(purpose: 'payout' | 'dependent', orders: string): RawBuilder<string> {
  const [chain, address, digest] = ['chain', 'address', 'digest'].map((column) => sql.ref(`${orders}.${column}`));
  return sql<string>`${sql.lit(purpose)} || ' ' || ${chain} || ' ' || ${address} || ' ' || ${digest}`;
}
