import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../platform/addresses.ts';
import type { Chain } from '../platform/chains.ts';
import { type Currency, type MinorUnits, type TokenUnits, tokenUnits } from '../platform/money.ts';
import type { Send } from '../platform/postgres/pipelined-transaction.ts';
import { networkSettings, type Settings } from '../platform/settings.ts';
import { indexerNotReady } from './balances.ts';
import { hasNewestRows, type NewestSettled } from './newest-rows.ts';
import { indexedOutcomes } from './outcomes.ts';
import { readIndexed } from './read-indexed.ts';
import { viewsSchema } from './schema-names.ts';

/** Whose holdings of which currencies on a chain are read, and against which open redemptions. */
export interface HoldingsQuery {
  chain: Chain;
  holders: readonly { address: LowerAddress; currency: Currency }[];
  /** `not burnt`: without those that the indexed balance lacks already, which have been burnt, but not confirmed. */
  reserved: 'all' | 'not burnt';
  /**
   * SQL of relations with the columns `chain`, `account`, `currency` and `amount` (minor units): `sums` adds up to all open redemptions, `maybeBurnt` has
   * those that may be burnt already, with their `message_hash`.
   */
  openRedemptions: { sums: RawBuilder<unknown>; maybeBurnt: RawBuilder<unknown> };
}

/** What a holder has of a currency, since its token is indexed, and the sum of its open redemptions. */
export interface IndexedHolding {
  address: LowerAddress;
  currency: Currency;
  units: TokenUnits;
  reserved: MinorUnits;
}

/**
 * Makes a reader of holdings. Balances, burns and open redemptions are read in one statement, and so in one snapshot: between the burning and its
 * confirmation a redemption would otherwise count twice. Burns are found by their messages, because anyone with an operator's key can send a message
 * under another order id. Throws `indexer_not_ready` while rows are missing; the transaction can go on then. It fails when tables that were there before are gone:
 * whoever begins it again gets an answer.
 */
export function createHoldingReader(settings: Settings, newestSettled: NewestSettled) {
  /** Chains whose tables were there when they were read last. */
  const readable = new Set<Chain>();
  return async (send: Send, query: HoldingsQuery): Promise<IndexedHolding[]> => {
    const { chain, holders } = query;
    const { tokens } = networkSettings(settings, chain);
    const balances = sql`${sql.id(viewsSchema(chain))}.balance`;
    const statement = sql<IndexedHolding & { isComplete: boolean; units: string }>`
      select h.address, h.currency, ${hasNewestRows(chain, newestSettled)} as is_complete, 
        coalesce((select b.amount from ${balances} b where b.account = h.address and b.token = h.token limit 1), 0)::text as units,
        ${reservedOf(query)} as reserved
      from unnest(
        ${holders.map(({ address }) => address)}::text[], ${holders.map(({ currency }) => currency)}::text[],
        ${holders.map(({ currency }) => tokens[currency])}::text[]
      ) as h (address, currency, token)`;
    const wasReadable = readable.delete(chain);
    const rows = (await (wasReadable ? send(statement) : readIndexed(() => sendInSavepoint(send, statement)))) ?? [];
    if (rows.length > 0) readable.add(chain);
    if (rows[0]?.isComplete !== true) throw indexerNotReady(chain);
    return rows.map(({ address, currency, units, reserved }) => ({ address, currency, reserved, units: tokenUnits(BigInt(units)) }));
  };
}

/** A statement on tables that are not there yet fails the transaction, unless it goes back to before it. */
async function sendInSavepoint<Row>(send: Send, statement: RawBuilder<Row>): Promise<Row[]> {
  const [, rows] = await Promise.all([send(sql`savepoint holdings`), send(statement), send(sql`rollback to savepoint holdings`)]);
  return rows;
}

/** The outcome is looked up for each redemption that may be burnt, whatever the statistics say: that is what the `limit` is for. */
function reservedOf({ chain, reserved, openRedemptions }: HoldingsQuery): RawBuilder<MinorUnits> {
  const isOfHolder = sql`o.chain = ${chain} and o.account = h.address and o.currency = h.currency`;
  const open = sql`(select coalesce(sum(o.amount), 0)::bigint from ${openRedemptions.sums} o where ${isOfHolder})`;
  if (reserved === 'all') return sql`${open}`;
  return sql`${open} - (
    select coalesce(sum(o.amount), 0)::bigint from ${openRedemptions.maybeBurnt} o
    where ${isOfHolder} and (
      select true from ${indexedOutcomes(chain)} x
      where x.kind = 'redeem' and x.refused is null and x.account = o.account and x.message_hash = o.message_hash limit 1))`;
}
