import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import type { LegSigner } from '../../schema/states.ts';
import { laneQueue } from '../wake-ups.ts';
import { isUnproven, waits } from './account-waits.ts';
import { hasBreach, isClaimable, isIssuable, type LegGroup } from './leg-groups.ts';

/** A leg that a lane is about to send. */
export interface ClaimedLeg {
  id: string;
  orderId: string;
  /** Who has it carried out: of an order that carries out a redemption to another chain, the profile that redeemed. */
  profile: string;
  /** Whether it carries out a redemption to another chain. */
  isDependent: boolean;
  /** Whether an operator has released it from the gas budget that held it. */
  isReleased: boolean;
  kind: 'issue' | 'redeem';
  currency: Currency;
  account: LowerAddress;
  /** Minor units. */
  amount: MinorUnits;
  signedBy: LegSigner;
  /** Number, dense on its token, by which the contract issues once; null for a redemption. */
  sequence: bigint | null;
  message: string | null;
  signature: string | null;
  /** Of the request that placed the order; null when a bank's report did. */
  correlationId: string | null;
}

/** Which legs a lane claims: those of one group, at most `limit`. */
export interface ClaimOptions {
  chain: Chain;
  signer: LowerAddress;
  group: LegGroup;
  limit: number;
  /** Token contract of each currency on the chain. */
  tokens: Partial<Record<Currency, string>>;
  /** The head. Accounts that wait for a later block are passed over. */
  block: bigint;
  /** For redemptions signed by contracts that are no retries: the accounts that take their turn; see `nextContractAccounts`. */
  accounts?: readonly LowerAddress[] | undefined;
}

/**
 * Claims ready legs of a group for a lane, in the order in which they are to be sent: oldest first; of contract accounts first one of each, then a
 * second of each, and so on, so that none fills a batch alone while others wait. Retries are claimed with those that may travel in batches of
 * the same size. Of a contract account that is unproven one leg is claimed, and none while it has one in flight; lanes that claim of different
 * groups at the same moment may exceed that, by one leg for each. Issue legs get their sequence number here, once; none is claimed of a currency whose
 * reserve has a breach by now. Legs that another lane claims at the same time are skipped.
 */
export async function claimLegs(ledger: Ledger, options: ClaimOptions): Promise<ClaimedLeg[]> {
  const { chain, signer, group, tokens } = options;
  const token = tokens[group.currency] ?? null;
  const { rows } = await sql<ClaimedLeg>`
    with picked as materialized (${pickedLegs(options)}), unnumbered as materialized (
      select array_agg(id order by id) as ids from picked where ${group.kind === 'issue'} and token is distinct from ${token}
    ), numbered as (
      insert into token_sequences as s (chain, token, next)
      select ${chain}, ${token}, cardinality(ids) from unnumbered where ids is not null
      on conflict (chain, token) do update set next = s.next + excluded.next
      returning next - (select cardinality(ids) from unnumbered) as base
    )
    update open_legs l set
      claimed_by = ${signer},
      token = ${token},
      sequence = coalesce((select base from numbered) + array_position((select ids from unnumbered), l.id) - 1, l.sequence)
    from orders o
    where l.id = any(array(select id from picked)) and o.id = any(array[l.order_id])
    returning l.id, l.order_id, coalesce((select s.profile from orders s where s.id = o.source_order), o.profile) as profile,
      o.source_order is not null as is_dependent, l.held_for is not null as is_released, l.kind, l.currency, l.account, l.amount, l.signed_by, l.sequence, o.message,
      o.signature, o.correlation_id
  `.execute(ledger);
  return inTurns(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
}

/** SQL: the columns `id` and `token` of the legs to claim, locked. */
function pickedLegs({ chain, group, limit, block, accounts }: ClaimOptions): RawBuilder<unknown> {
  const { kind, currency, signedBy, isRetry } = group;
  const isOfGroup = sql`
    l.chain = ${chain} and l.kind = ${kind} and l.signed_by = ${signedBy} and l.currency = ${currency} and ${isClaimable}
    ${kind === 'issue' ? sql`and not ${hasBreach(sql`${currency}`)}` : sql``}`;
  if (signedBy !== 'contract' && !isRetry)
    return sql`
      select l.id, l.token from open_legs l where ${isOfGroup} and ${isIssuable} and l.batch_limit = 0
      order by l.turn, l.id limit ${limit} for update of l skip locked`;
  const candidates = isRetry
    ? largestRetries(isOfGroup, group, { limit, block })
    : legsOfAccounts({ chain, currency, limit, block, accounts });
  return sql`
    select l.id, l.token from open_legs l
    where l.id = any(array(${candidates})) and ${isClaimable} and ${isIssuable} for update of l skip locked`;
}

/** SQL: the ids of the retries that may travel in the largest batch. */
function largestRetries(
  isOfGroup: RawBuilder<unknown>,
  { signedBy }: LegGroup,
  { limit, block }: { limit: number; block: bigint },
): RawBuilder<unknown> {
  const isDue = signedBy === 'contract' ? sql`not ${waits(block)}` : sql`true`;
  return sql`
    with largest as materialized (
      select l.batch_limit from open_legs l where ${isOfGroup} and l.batch_limit > 0 and ${isDue} order by l.batch_limit desc limit 1
    )
    select l.id from (
      select l.id, l.chain, l.account, row_number() over (partition by l.account order by l.id) as number
      from (
        select l.id, l.chain, l.account from open_legs l
        where ${isOfGroup} and l.batch_limit = (select batch_limit from largest) and ${isDue}
        order by l.turn, l.id limit (select least(${limit}, batch_limit) from largest)
      ) l
    ) l where ${signedBy === 'contract' ? sql`l.number = 1 or not ${isUnproven}` : sql`true`}`;
}

/** SQL: the ids of legs of contract accounts: one of each account before any has two. */
function legsOfAccounts({
  chain,
  currency,
  limit,
  block,
  accounts,
}: Omit<ClaimOptions, 'group' | 'signer' | 'tokens'> & { currency: Currency }) {
  return sql`
    select l.id from (
      select l.account, ${isUnproven} as is_unproven from (select ${chain}::text as chain, account from unnest(${accounts ?? []}::text[]) a (account)) l
      where not ${waits(block)}
    ) a cross join lateral (
      select l.id, row_number() over (order by l.id) as turn from open_legs l
      where l.chain = ${chain} and l.kind = 'redeem' and l.signed_by = 'contract' and l.currency = ${currency} and l.turn = a.account
        and l.batch_limit = 0 and ${isClaimable}
      order by l.id limit case when a.is_unproven then 1 else ${limit}::int end
    ) l
    order by l.turn, l.id limit ${limit}`;
}

/** Legs in the order of their ids; of contract accounts first one of each, then a second of each. */
function inTurns(legs: readonly ClaimedLeg[]): ClaimedLeg[] {
  const counts = new Map<string, number>();
  const turns = legs.map((leg) => {
    const turn = leg.signedBy === 'contract' ? (counts.get(leg.account) ?? 0) : 0;
    counts.set(leg.account, turn + 1);
    return { leg, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ leg }) => leg);
}

/** The signers with claimed legs on a network that are not recorded as sent. */
export async function claimingSigners(ledger: Ledger, chain: Chain): Promise<LowerAddress[]> {
  const rows = await ledger
    .selectFrom('openLegs')
    .select('claimedBy')
    .distinct()
    .where('chain', '=', chain)
    .where('claimState', '=', 'claimed')
    .execute();
  return rows.flatMap(({ claimedBy }) => claimedBy ?? []);
}

/**
 * Releases the legs that a lane claimed and has not recorded as sent: after a failure, and when the lane starts. Any lane of the network may
 * then claim them.
 */
export async function releaseClaims(ledger: Ledger, chain: Chain, signer: LowerAddress): Promise<void> {
  const { numUpdatedRows } = await ledger
    .updateTable('openLegs')
    .set({ claimedBy: null })
    .where('chain', '=', chain)
    .where('claimState', '=', 'claimed')
    .where('claimedBy', '=', signer)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) ledger.wakeUps.add(laneQueue(chain));
}

/** Releases some of the legs that a lane claimed, which do not fit into its batch. */
export async function releaseLegs(ledger: Ledger, signer: LowerAddress, legs: readonly ClaimedLeg[]): Promise<void> {
  if (legs.length === 0) return;
  await sql`
    update open_legs set claimed_by = null
    where id = any(${legs.map(({ id }) => id)}::uuid[]) and state = 'ready' and claimed_by = ${signer}
  `.execute(ledger);
}
