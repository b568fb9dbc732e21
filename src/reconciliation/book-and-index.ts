import { sql } from 'kysely';
import { findContradictions } from '../indexed/damage.ts';
import { isComplete } from '../indexed/newest-rows.ts';
import { indexedOutcomes } from '../indexed/outcomes.ts';
import { readProgress } from '../indexed/progress.ts';
import { readIndexed } from '../indexed/read-indexed.ts';
import { indexedSupply } from '../indexed/supply.ts';
import { tokensOn } from '../ledger/book/accounts.ts';
import { currentBalances } from '../ledger/book/balances.ts';
import { newestSettledLeg, openLegsCarriedOut } from '../ledger/lanes/decided-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { compareAmounts, type Comparison, type ComparisonItem } from '../ledger/reserve/comparison.ts';
import { unitsPerMinorUnit } from '../ledger/units-in-sql.ts';
import { type Currency, minorUnits, tokenUnits, toMinorUnits } from '../platform/money.ts';
import type { NetworkSettings } from '../platform/settings.ts';

interface Row {
  currency: Currency;
  ready: boolean;
  /** Minor units in circulation by the book. */
  booked: string;
  /** Token units in circulation: as indexed, with those that were in circulation before the index begins. */
  supply: string;
  issued: string;
  issuedLegs: number;
  redeemed: string;
  redeemedLegs: number;
}

/**
 * Compares the tokens in circulation by the book with the indexed supply of a network, in one snapshot: what is indexed and not yet settled
 * explains why they differ. Undefined while the indexer is not ready, because its newest rows may be missing then, and while its rows are damaged. Its cost does not grow
 * with history.
 */
export async function compareBookWithIndex(ledger: Ledger, network: NetworkSettings): Promise<Comparison[] | undefined> {
  const { chain } = network;
  // Before anything else: without the indexes that Ponder drops at its restart, what is below would read all outcomes.
  if (!(await readProgress(ledger, chain))?.ready) return undefined;
  const rows = (await readIndexed(() => supplyQuery(network).execute(ledger)))?.rows;
  if (rows === undefined || rows.some(({ ready }) => !ready)) return undefined;
  const comparisons = rows.map(({ currency, ...row }) => {
    const items: ComparisonItem[] = [];
    if (row.issuedLegs > 0) items.push({ text: `issued in ${row.issuedLegs} legs that are not settled yet`, amount: toAmount(row.issued) });
    if (row.redeemedLegs > 0)
      items.push({
        text: `redeemed in ${row.redeemedLegs} legs that are not settled yet`,
        amount: minorUnits(0n - toAmount(row.redeemed)),
      });
    const actual = toMinorUnits(tokenUnits(BigInt(row.supply)));
    const subject = { comparison: 'index', currency, account: tokensOn(chain), chain } as const;
    return compareAmounts(subject, { expected: toAmount(row.booked), actual, items });
  });
  const differs = comparisons.some(({ difference }) => difference !== 0n);
  // Rows that contradict each other say nothing of the money: they are rebuilt.
  return differs && (await findContradictions(ledger, network, newestSettledLeg)) !== undefined ? undefined : comparisons;
}

function supplyQuery({ chain, tokens }: NetworkSettings) {
  const list = Object.entries(tokens).map(([currency, token]) => ({ currency, token }));
  return sql<Row>`
    with tokens as (
      select * from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as t(currency text, token text)
    ), carried_out as materialized (
      select kind, currency, count(*)::int as legs, sum(amount) as amount
      from ${openLegsCarriedOut(chain, indexedOutcomes(chain))} c group by kind, currency
    )
    select t.currency, ${isComplete(chain, newestSettledLeg)} as ready,
      coalesce((select -b.amount from ${currentBalances} b where b.account = ${tokensOn(chain)} and b.currency = t.currency), 0)::text as booked,
      (coalesce((select s.amount from ${indexedSupply(chain)} s where s.token = t.token), 0)
        + coalesce((select o.supply * ${unitsPerMinorUnit} from token_openings o where o.chain = ${chain} and o.token = t.token), 0))::text as supply,
      coalesce(i.amount, 0)::text as issued, coalesce(i.legs, 0) as "issuedLegs",
      coalesce(r.amount, 0)::text as redeemed, coalesce(r.legs, 0) as "redeemedLegs"
    from tokens t
    left join carried_out i on i.currency = t.currency and i.kind = 'issue'
    left join carried_out r on r.currency = t.currency and r.kind = 'redeem'
    order by t.currency`;
}

function toAmount(text: string) {
  return minorUnits(BigInt(text));
}
