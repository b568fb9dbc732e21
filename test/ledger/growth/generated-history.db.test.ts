import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExplainingPool, type ExecutedPlan, growingTables, growthOf, type PlanMode } from '../../../bench/history/executed-plans.ts';
import { generateHistory } from '../../../bench/history/generate.ts';
import { type HotQuery, type HotQueryDependencies, hotQueries } from '../../../bench/history/hot-queries.ts';
import { historySettings, tokenOf } from '../../../bench/history/networks.ts';
import { signerAddress } from '../../../bench/history/statements.ts';
import { trialBalance } from '../../../src/ledger/book/balances.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { countOpenLegs } from '../../../src/ledger/lanes/open-legs.ts';
import { listReadyGroups, nextContractAccounts } from '../../../src/ledger/lanes/leg-groups.ts';
import { claimLegs, releaseClaims } from '../../../src/ledger/lanes/legs.ts';
import { recordTransaction } from '../../../src/ledger/lanes/transactions.ts';
import { countFailingLegs } from '../../../src/ledger/lanes/lone-reverts.ts';
import { overdueLegs } from '../../../src/ledger/lanes/overdue-legs.ts';
import { readNetworkWork } from '../../../src/ledger/lanes/network-work.ts';
import { countHeldLegs, releaseDueLegs, releaseDust } from '../../../src/ledger/lanes/held-legs.ts';
import { mostCounted } from '../../../src/ledger/most-counted.ts';
import { countOpenOrders } from '../../../src/ledger/orders/order-queries.ts';
import { idleOrders } from '../../../src/ledger/orders/overdue-orders.ts';
import { boundsOf } from '../../../src/problems/bounds.ts';
import { listOrders } from '../../../src/ledger/orders/orders.ts';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createPool } from '../../../src/platform/database.ts';
import { compareBookWithIndex } from '../../../src/reconciliation/book-and-index.ts';
import { compareBookWithStates } from '../../../src/reconciliation/book-and-states.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { beginLegs } from '../../../src/ledger/orders/legs/begin-legs.ts';

const chain = 'gnosis';

/** So many that reading history shows beside reading what is open, and few enough to be made in seconds. */
const size = { orders: 10_000, days: 200, open: 120, customers: 300, batch: 3 };

/** Rows of a table that grows which a query may read: a page or what is open, some times over, and far fewer than there are. */
const mostRows = 900;

let database: TestDatabase;
let ledger: Ledger;
let growing: Set<string>;

beforeAll(async () => {
  database = await createTestDatabase();
  await generateHistory(database.url, size, () => {});
  const pool = createPool({ connectionString: database.url });
  ledger = createLedger(pool, wakesNobody);
  growing = await growingTables(pool);
});
afterAll(async () => {
  await ledger.destroy();
  await database.drop();
});

it('is consistent: the book balances, and is what the states and the index say', async () => {
  expect([...(await trialBalance(ledger)).values()]).toEqual([0n, 0n]);
  const { networks } = historySettings(database.url);
  const byIndex = await Promise.all(Object.values(networks).map((network) => compareBookWithIndex(ledger, network)));
  const comparisons = [...(await compareBookWithStates(ledger)), ...byIndex.flatMap((list) => list ?? [])];
  expect(comparisons.filter(({ difference }) => difference !== 0n)).toEqual([]);
  expect(comparisons.filter(({ account, expected }) => account !== '' && expected > 0n).length).toBeGreaterThan(8);
  expect(await sql`select 1 from orders`.execute(ledger)).toMatchObject({ rows: { length: size.orders } });
  expect([...growing]).toEqual(expect.arrayContaining(['orders', 'leg_history', 'credits', 'payments', 'entries', 'outcome']));
});

describe('no hot query reads what is long over', () => {
  it.each(['custom', 'generic'] as const)('with %s plans', async (mode) => {
    expect(await growthOfQueries(mode)).toEqual({});
  });

  // Some more rows decide between indexes that cost the planner the same.
  it('with another index that costs the planner no more', async () => {
    expect(await growthWithOtherIndexes()).toEqual({});
  });

  // Autovacuum analyses such a table within minutes. Until then lists may sort what they could read in order, but no loop may stop.
  it.each(['custom', 'generic'] as const)('of a loop with %s plans and no statistics', async (mode) => {
    await removeDeadRows();
    await forgetStatistics();
    expect(await growthOfQueries(mode, loopQueries)).toEqual({});
  });

  it('and one without an index is noticed', async () => {
    expect(Object.keys(await growthOfQueries('custom', withoutIndex))).toEqual([
      'by reference',
      'by an index that is not for it',
      'by a whole index',
    ]);
  });
});

it('a lane and what `status` says of legs cost the same with 15,000 redemptions that gas budgets hold', async () => {
  await holdRedemptions(15_000);
  const ofHeldLegs = ({ ledger: explained, settings }: HotQueryDependencies): HotQuery[] => [
    { name: 'work', ask: () => readNetworkWork(explained, chain, ['eur', 'gbp']) },
    { name: 'count', ask: () => countHeldLegs(explained, [chain]) },
    { name: 'failing', ask: () => countFailingLegs(explained, chain) },
    { name: 'release', ask: () => releaseDueLegs(explained, chain, new Date()) },
    { name: 'dust', ask: () => releaseDust(explained, chain, ['eur'], 100) },
    { name: 'groups', ask: () => listReadyGroups(explained, chain, ['eur', 'gbp']) },
    { name: 'open', ask: () => countOpenLegs(explained) },
    { name: 'overdue', ask: () => overdueLegs(explained, boundsOf(settings, new Date()).legs) },
    { name: 'idle', ask: () => idleOrders(explained, 20) },
  ];
  for (const mode of ['custom', 'generic'] as const) expect(await growthOfQueries(mode, ofHeldLegs, 12_500), mode).toEqual({});
  expect(await countHeldLegs(ledger, [chain])).toMatchObject([
    { reason: 'gas_budget', count: mostCounted.open + 1, profiles: { length: 1 } },
  ]);
  expect(await countOpenLegs(ledger)).toContainEqual(
    expect.objectContaining({ chain, state: 'held', count: mostCounted.open, isMore: true }),
  );
});

it('what `status` says of legs costs the same with 15,000 issues that are overdue', async () => {
  await sql`
    with placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, digest, state)
      select uuidv7(), 'issue', o.profile, o.address, ${chain}, 'eur', 1, '{}', '', '0x' || md5('overdue' || n), 'placed'
      from generate_series(1, 15000) n, (select profile, address from orders limit 1) o
      returning id, address
    ), ${beginLegs(sql`select id, 'issue', 0, ${chain}::text, 'eur', address, 1, 'ready', 'nobody', null::text, null::timestamptz from placed`)}
    select`.execute(ledger);
  await sql`update open_legs set due_at = now() - interval '1 hour' where kind = 'issue' and amount = 1`.execute(ledger);
  await sql`vacuum analyze orders, leg_history, open_legs`.execute(ledger);
  // With the held ones of the test before, two bounds of 10,000.
  for (const mode of ['custom', 'generic'] as const) expect(await growthOfQueries(mode, ofOverdueLegs, 22_500), mode).toEqual({});
  const { legs } = boundsOf(historySettings(database.url), new Date());
  expect(await overdueLegs(ledger, legs)).toContainEqual(expect.objectContaining({ chain, kind: 'issue', count: mostCounted.overdue + 1 }));
  const open = { chain, kind: 'issue', state: 'ready', count: mostCounted.open, isMore: true };
  expect(await countOpenLegs(ledger)).toContainEqual(expect.objectContaining(open));
  expect(await countOpenOrders(ledger)).toMatchObject({ placed: mostCounted.open + 1 });
});

it('a look for events without a position reads no others, when half of all had none while statistics were made', async () => {
  await sql`alter table events disable trigger user`.execute(ledger);
  await sql`update events set position = null where sequence % 2 = 0`.execute(ledger);
  await sql`analyze events`.execute(ledger);
  await sql`update events set position = nextval('event_positions') where position is null`.execute(ledger);
  await sql`vacuum events`.execute(ledger);
  for (const mode of ['custom', 'generic'] as const) expect(await growthOfQueries(mode, ofNewEvents, 100), mode).toEqual({});
});

it.for(['analysed', 'never analysed', 'analysed before the commit'])(
  'a lane claims, sends and gives back a few of hundreds of ready redemptions that were %s without reading the others',
  async (statistics, { skip }) => {
    const { rows } = await sql<{ version: number }>`select current_setting('server_version_num')::int as version`.execute(ledger);
    skip(statistics === 'never analysed' && (rows[0]?.version ?? 0) < 170_000, 'before 17 the plan needs statistics');
    await holdRedemptions(400, null);
    if (statistics === 'never analysed') await forgetStatistics();
    if (statistics === 'analysed before the commit') await countNoOpenLegs();
    // What is open grows for once.
    growing.add('open_legs');
    for (const mode of ['custom', 'generic'] as const) {
      const { send = [], ...others } = await growthOfQueries(mode, ofReadyRedemptions, 100);
      expect(others, mode).toEqual({});
      // The legs are updated while the index of the orders is first asked for theirs: the pages of that update count as the index's.
      const rowsRead = send.filter((reason) => !reason.startsWith('visits '));
      expect(rowsRead, mode).toEqual([]);
    }
  },
);

const ofNewEvents = ({ ledger: explained }: HotQueryDependencies): HotQuery[] =>
  (['recent', 'all'] as const).map((range) => ({ name: range, ask: () => dispatchEvents(explained, 100, range) }));

let nonce = 10n ** 9n;
const ofReadyRedemptions = ({ ledger: explained }: HotQueryDependencies): HotQuery[] => {
  const group = { kind: 'redeem', currency: 'eur', signedBy: 'key', isRetry: false } as const;
  const lane = { chain, signer: lowerAddress(signerAddress) } as const;
  const claim = () => claimLegs(explained, { ...lane, group, limit: 5, tokens: { eur: tokenOf(chain, 'eur') }, block: 1n });
  return [
    { name: 'groups', ask: () => listReadyGroups(explained, chain, ['eur', 'gbp']) },
    { name: 'accounts', ask: () => nextContractAccounts(explained, { chain, currency: 'eur', after: '', block: 1n, limit: 5 }) },
    { name: 'claim', ask: claim },
    { name: 'release', ask: () => releaseClaims(explained, chain, lane.signer) },
    {
      name: 'send',
      async ask() {
        const legs = (await claim()).map(({ id }) => id);
        const attempt = { hash: `0x${(nonce += 1n)}`, raw: '0x', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
        await recordTransaction(explained, {
          ...lane,
          nonce,
          kind: 'redeem',
          currency: 'eur',
          gasLimit: 1n,
          sentAtBlock: 1n,
          attempt,
          legs,
        });
      },
    },
  ];
};

const ofOverdueLegs = ({ ledger: explained, settings }: HotQueryDependencies): HotQuery[] => [
  { name: 'open', ask: () => countOpenLegs(explained) },
  { name: 'overdue', ask: () => overdueLegs(explained, boundsOf(settings, new Date()).legs) },
  { name: 'orders', ask: () => countOpenOrders(explained) },
];

/** Redemptions of one customer whose gas budget is used up until a time, which is SQL, or which no budget holds. */
async function holdRedemptions(count: number, until: string | null = "now() + interval '1 day'"): Promise<void> {
  await sql`alter table orders disable trigger announce_placed`.execute(ledger);
  await sql`alter table open_legs disable trigger user`.execute(ledger);
  await sql`
    with placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, digest, state)
      select uuidv7(), 'redeem', o.profile, o.address, ${chain}, 'eur', 1, '{}', '', '0x' || md5(gen_random_uuid()::text), 'placed'
      from generate_series(1, ${count}::int) n, (select profile, address from orders limit 1) o
      returning id, address
    ), ${beginLegs(sql`
      select id, 'redeem', 0, ${chain}::text, 'eur', address, 1, 'ready', 'key', ${until === null ? null : 'gas_budget'}::text, ${sql.raw(until ?? 'null::timestamptz')}
      from placed`)}
    select`.execute(ledger);
  await sql`vacuum analyze orders, leg_history, open_legs`.execute(ledger);
}

/** What of the queries' plans grows with history, by the query's name. */
async function growthOfQueries(
  mode: PlanMode,
  queries: (explained: HotQueryDependencies) => HotQuery[] | Promise<HotQuery[]> = hotQueries,
  limit = mostRows,
) {
  const { pool, take } = createExplainingPool(database.url, mode);
  const explained = createLedger(pool, wakesNobody);
  try {
    const found: Record<string, string[]> = {};
    for (const { name, ask } of await queries({ ledger: explained, pool, settings: historySettings(database.url) })) {
      const growth = await lastingGrowth(async () => {
        take();
        // The second time the statement is prepared.
        for (let time = 0; time < 2; time += 1) await ask();
        const plans = take();
        expect(plans, name).not.toEqual([]);
        return plans.flatMap((plan) =>
          growthOf(plan, growing, limit).map((reason) => `${reason}: ${plan.text.replaceAll(/\s+/g, ' ').trim()}`),
        );
      });
      if (growth.length > 0) found[name] = growth;
    }
    return found;
  } finally {
    await explained.destroy();
  }
}

/**
 * What grows each time. A connection whose caches the server has emptied, because other databases of it were changed, reads some hundred pages of catalogs, such
 * as the configuration of text search: they count for the statement that needs them. Rows that the statements here have ended are visited until they are removed.
 */
async function lastingGrowth(read: () => Promise<string[]>): Promise<string[]> {
  let growth: string[] = [];
  for (let time = 0; time < 4; time += 1) {
    growth = await read();
    if (growth.length === 0) break;
    await removeDeadRows();
  }
  return [...new Set(growth)];
}

/** Removes the rows of open legs that are dead, once nobody can see them any more, such as autovacuum. What the planner knows of the table stays as it is. */
async function removeDeadRows(): Promise<void> {
  const others = sql`select from pg_stat_activity where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()`;
  await expect.poll(async () => (await others.execute(ledger)).rows).toEqual([]);
  const ofOpenLegs = sql`oid = 'open_legs'::regclass or oid in (select indexrelid from pg_index where indrelid = 'open_legs'::regclass)`;
  const known = await sql<{ oid: number; reltuples: number; relallvisible: number }>`
    select oid, reltuples, relallvisible from pg_class where ${ofOpenLegs}`.execute(ledger);
  await sql`vacuum (analyze off) open_legs`.execute(ledger);
  for (const { oid, reltuples, relallvisible } of known.rows)
    await sql`update pg_class set reltuples = ${reltuples}, relallvisible = ${relallvisible} where oid = ${oid}`.execute(ledger);
}

/** One level more or less of an index changes what the planner expects by less. */
const sameCost = 1.05;

/** What grows with history of the lists' plans for all values that the planner makes without an index that it uses, where they cost it no more. */
async function growthWithOtherIndexes() {
  const { pool, take } = createExplainingPool(database.url, 'generic');
  const explained = createLedger(pool, wakesNobody);
  const read = async ({ ask }: HotQuery) => {
    take();
    await ask();
    return take();
  };
  try {
    const queries = await hotQueries({ ledger: explained, pool, settings: historySettings(database.url) });
    const unpartitioned = await unpartitionedIndexes();
    const found: Record<string, string[]> = {};
    for (const query of queries.filter(({ isOfLoop = false, name }) => !isOfLoop && name !== 'status')) {
      const plans = await read(query);
      const costs = new Map(plans.map(({ text, cost }) => [text, cost]));
      for (const index of new Set(plans.flatMap(({ indexes }) => indexes).filter((name) => unpartitioned.has(name)))) {
        await setUsable(index, false);
        // The planner reads a whole table only where it has no index at all.
        const isOfSameCost = ({ text, cost, scanned }: ExecutedPlan) => scanned.length === 0 && cost <= (costs.get(text) ?? 0) * sameCost;
        const growth = await lastingGrowth(async () =>
          (await read(query)).filter(isOfSameCost).flatMap((plan) => growthOf(plan, growing, mostRows)),
        );
        await setUsable(index, true);
        if (growth.length > 0) found[`${query.name} without ${index}`] = growth;
      }
    }
    return found;
  } finally {
    await explained.destroy();
  }
}

async function unpartitionedIndexes(): Promise<Set<string>> {
  const { rows } = await sql<{ relname: string }>`select relname from pg_class where relkind = 'i' and not relispartition`.execute(ledger);
  return new Set(rows.map(({ relname }) => relname));
}

/** Whether plans may use an index. Its table is touched so that they are made anew. */
async function setUsable(index: string, isUsable: boolean): Promise<void> {
  await sql`
    with changed as (update pg_index set indisvalid = ${isUsable} where indexrelid in (select oid from pg_class where relname = ${index}) returning indrelid)
    update pg_class set reltuples = reltuples from changed where oid = indrelid`.execute(ledger);
}

/** As after a restore that nobody has analysed. */
async function forgetStatistics(): Promise<void> {
  await sql`delete from pg_statistic where starelid >= 16384`.execute(ledger);
  await sql`update pg_class set reltuples = -1, relallvisible = 0 where oid >= 16384 and relkind in ('r', 'i', 'p', 'I')`.execute(ledger);
}

/** As if autovacuum had analysed the table of open legs before the transaction that filled it was committed: it counts no row. */
async function countNoOpenLegs(): Promise<void> {
  const openLegs = sql`'open_legs'::regclass`;
  await sql`delete from pg_statistic where starelid = ${openLegs}`.execute(ledger);
  await sql`update pg_class set reltuples = 0 where oid = ${openLegs} or oid in (select indexrelid from pg_index where indrelid = ${openLegs})`.execute(
    ledger,
  );
}

async function loopQueries(explained: HotQueryDependencies): Promise<HotQuery[]> {
  return (await hotQueries(explained)).filter(({ isOfLoop }) => isOfLoop);
}

function withoutIndex({ ledger: explained }: HotQueryDependencies): HotQuery[] {
  return [
    { name: 'by reference', ask: () => sql`select id from orders where reference_number = ${'RF1'}`.execute(explained) },
    {
      name: 'by an index that is not for it',
      ask: () => sql`select id from leg_history where amount = ${1} order by id limit 1`.execute(explained),
    },
    { name: 'by a whole index', ask: () => sql`select id from orders where hashtextextended(memo, 0) = ${1}`.execute(explained) },
    { name: 'by profile', ask: () => listOrders(explained, { profile: crypto.randomUUID() }, { limit: 50 }) },
  ];
}
