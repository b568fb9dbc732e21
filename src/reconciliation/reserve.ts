import { type RawBuilder, sql } from 'kysely';
import { isComplete } from '../indexed/newest-rows.ts';
import { indexedOutcomes } from '../indexed/outcomes.ts';
import { readIndexed } from '../indexed/read-indexed.ts';
import { indexedSupply } from '../indexed/supply.ts';
import { newestSettledLeg, openLegsCarriedOut } from '../ledger/lanes/decided-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Chain } from '../platform/chains.ts';
import { currencies, type Currency, type MinorUnits, minorUnits, tokenUnits, toMinorUnits } from '../platform/money.ts';
import type { NetworkSettings, Settings } from '../platform/settings.ts';

/** Both sides of the reserve equation of a currency; they are equal at all times. */
export interface Reserve {
  currency: Currency;
  /** Tokens in circulation, by network: as indexed, with those that were in circulation before the index begins. */
  circulation: Partial<Record<Chain, MinorUnits>>;
  /** Tokens that were in circulation before this ledger issued them: the money behind them was never received here. */
  opening: MinorUnits;
  /** Money that is neither tokens nor gone: not yet minted, burnt and not yet paid, unmatched, or on its way back. */
  underWay: MinorUnits;
  received: MinorUnits;
  paidOut: MinorUnits;
  returned: MinorUnits;
  /** Circulation and what is under way, less the opening and what is held: zero, or money was made or lost. */
  difference: MinorUnits;
}

/**
 * Reads the reserve equation of every currency, in one snapshot of the database: what is indexed but not yet settled is
 * seen on both sides. Undefined while an indexer is not ready, because its newest rows may be missing then.
 */
export async function readReserve(ledger: Ledger, settings: Settings): Promise<Reserve[] | undefined> {
  const networks = Object.values(settings.networks);
  if (networks.length === 0) return [];
  const { rows } = (await readIndexed(() => reserveQuery(networks).execute(ledger))) ?? {};
  if (rows === undefined || rows.some((row) => !row.ready)) return undefined;
  return currencies.flatMap((currency) => rows.filter((row) => row.currency === currency).map(toReserve));
}

interface Row {
  currency: Currency;
  ready: boolean;
  circulation: Partial<Record<Chain, string>> | null;
  opening: string;
  underWay: string;
  received: string;
  paidOut: string;
  returned: string;
}

function toReserve(row: Row): Reserve {
  const circulation = Object.fromEntries(
    Object.entries(row.circulation ?? {}).map(([chain, units]) => [chain, toMinorUnits(tokenUnits(BigInt(units)))]),
  ) as Reserve['circulation'];
  const opening = minorUnits(BigInt(row.opening));
  const underWay = minorUnits(BigInt(row.underWay));
  const received = minorUnits(BigInt(row.received));
  const paidOut = minorUnits(BigInt(row.paidOut));
  const returned = minorUnits(BigInt(row.returned));
  const inCirculation = Object.values(circulation).reduce((sum, amount) => sum + amount, 0n);
  const difference = minorUnits(inCirculation + underWay - opening - (received - paidOut - returned));
  return { currency: row.currency, circulation, opening, underWay, received, paidOut, returned, difference };
}

function tokensOf(networks: NetworkSettings[]): { chain: Chain; currency: string; token: string }[] {
  return networks.flatMap(({ chain, tokens }) => Object.entries(tokens).map(([currency, token]) => ({ chain, currency, token })));
}

/**
 * `moved` are the legs of unfinished orders that the ledger or the index knows as carried out. An order's money is under way from the credit
 * until it is minted or sent back, and from the burn until it is paid out or given back; a dependent order's is its source's.
 */
function reserveQuery(networks: NetworkSettings[]): RawBuilder<Row> {
  const unionOf = (part: (chain: Chain) => RawBuilder<unknown>) =>
    sql.join(
      networks.map(({ chain }) => part(chain)),
      sql` union all `,
    );
  return sql<Row>`
  with tokens as (
    select * from jsonb_to_recordset(${JSON.stringify(tokensOf(networks))}::jsonb) as t(chain text, currency text, token text)
  ), ready as (
    select bool_and(complete) as ready from (${unionOf((chain) => sql`select ${isComplete(chain, newestSettledLeg)} as complete`)}) c
  ), openings as (
    select t.chain, t.token, t.currency, o.supply from token_openings o join tokens t on t.chain = o.chain and t.token = o.token
  ), supply as (
    select chain, token, sum(amount) as amount from (
      ${unionOf((chain) => sql`select * from ${indexedSupply(chain)} s`)}
      union all
      select chain, token, supply * 1e16::numeric from openings
    ) s group by chain, token
  ), unfinished as (
    select * from orders where state in ('placed', 'pending') or (state = 'rejected' and kind = 'issue')
  ), moved as (
    select l.order_id, l.kind from legs l join unfinished u on u.id = l.order_id where l.state = 'done'
    union
    ${unionOf((chain) => sql`select order_id, kind from ${openLegsCarriedOut(chain, indexedOutcomes(chain))} c`)}
  ), held as (
    select currency, amount from credits where state = 'unmatched' and currency is not null and amount is not null
    union all
    select p.currency, p.amount from payments p where p.kind = 'return' and p.leg is null and p.state in ('ready', 'sent')
    union all
    select o.currency, o.amount from unfinished o join credits c on c.order_id = o.id
    where not exists (select from moved m where m.order_id = o.id and m.kind in ('issue', 'return'))
    union all
    select o.currency, o.amount from unfinished o
    where o.kind = 'redeem' and exists (select from moved m where m.order_id = o.id and m.kind = 'redeem')
      and not exists (select from moved m where m.order_id = o.id and m.kind in ('payout', 'issue'))
      and not exists (select from orders d join moved m on m.order_id = d.id and m.kind = 'issue' where d.source_order = o.id)
  )
  select t.currency, (select ready from ready) as ready,
    (select jsonb_object_agg(s.chain, s.amount::text) from supply s join tokens k on k.chain = s.chain and k.token = s.token where k.currency = t.currency) as circulation,
    coalesce((select sum(o.supply) from openings o where o.currency = t.currency), 0)::text as opening,
    coalesce((select sum(amount) from held h where h.currency = t.currency), 0)::text as under_way,
    (coalesce((select sum(amount) from credits c where c.currency = t.currency and c.state not in ('replaced', 'repeated')
        and coalesce(c.settled_as, 'return') = 'return'), 0)
      + coalesce((select sum(c.added_by_operator) from credits c where c.currency = t.currency), 0))::text as received,
    coalesce((select sum(amount) from payments p where p.currency = t.currency and p.kind = 'payout' and p.state in ('accepted', 'returned')), 0)::text as paid_out,
    (coalesce((select sum(amount) from payments p where p.currency = t.currency and p.kind = 'return' and p.state in ('accepted', 'returned')), 0)
      + coalesce((select sum(amount) from credits c where c.currency = t.currency and c.state = 'returned'
          and not exists (select from payments p where p.credit = c.reference and p.state not in ('refused', 'returned'))
          and not exists (select from payments p join legs l on l.id = p.leg where l.order_id = c.order_id)), 0))::text as returned
  from (select distinct currency from tokens) t`;
}
