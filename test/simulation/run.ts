import { createHash } from 'node:crypto';
import { createLedger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { recordHeartbeat } from '../../src/ledger/lanes/heartbeats.ts';
import { setOutcomesAside } from '../../src/ledger/recovery/decide-outcomes.ts';
import { listOpenOutcomes } from '../../src/ledger/recovery/unrecorded-outcomes.ts';
import { settleLegs } from '../../src/ledger/orders/settling/settle-legs.ts';
import { stuckOrders } from '../../src/ledger/orders/stuck-orders.ts';
import { readStatus } from '../../src/problems/read-status.ts';
import { createAdversary } from './adversary.ts';
import { createBlockMaker } from './block-maker.ts';
import { countFaults, type FaultCounts } from './faults.ts';
import { checkInvariants, type Violation } from './invariants.ts';
import { placeOrder, type PlacedOrder } from './ledger/orders.ts';
import type { SimulatedDatabase } from './ledger/simulated-database.ts';
import { createSimulatedIndexer, type OutcomeRow } from './ledger/simulated-indexer.ts';
import { createSimulatedEndpoint } from './node/endpoint.ts';
import { tokenAddress } from './node/token-address.ts';
import { drawPlan } from './plan.ts';
import { simulationLog } from './process/chain-worker.ts';
import { createFleet } from './process/fleet.ts';
import { createRandom } from './random.ts';
import { createWorld, endpointName, overdueSeconds, startMs, tickMs } from './world.ts';

/** What a run has shown. */
export interface RunResult {
  seed: number;
  violations: Violation[];
  faults: FaultCounts;
  /** Ticks until everything had ended after the storm. */
  calmTicks: number;
  /** Of all that happened: the same when the seed is replayed. */
  traceHash: string;
  trace: readonly string[];
}

/** Within so many ticks after the storm everything must have ended that need not wait. */
const calmTicks = 60;

/** The same for accounts that wait because their signatures have failed. */
const patientTicks = 250;

/** Ticks without an open leg after which a run is over: a reorganisation that was noticed late is then handled, too. */
const quietTicks = 3;

/** SQL: whether a leg has a reason to wait: redemptions of a contract account wait for each other until one has succeeded. */
const mayWait = `(l.held_until is not null
  or l.state = 'ready' and l.signed_by = 'contract' and exists (select from legs f
    where f.chain = l.chain and f.account = l.account and f.signed_by = 'contract' and f.state = 'sent')
  or exists (select from account_backoffs b where b.chain = l.chain and b.account = l.account)
  or l.state = 'waiting' and exists (select from legs f join account_backoffs b on b.chain = f.chain and b.account = f.account
    where f.order_id = l.order_id and f.position < l.position))`;

/** SQL: since when a leg could be carried out: a redemption of a contract account may have waited for another of it. */
const sinceSql = `greatest(l.due_at, (select max(e.done_at) from legs e
  where l.signed_by = 'contract' and e.signed_by = 'contract' and e.chain = l.chain and e.account = l.account and e.state in ('done', 'refused')))`;

/** A row of {@link lookSql}. */
interface Sight {
  open: number;
  has_unrecorded: boolean;
  due_now: number;
  overdue: number;
  due: { id: string; kind: string }[];
}

/**
 * Legs that are open, those of them that need not wait, those of these that are older than their bound, what the bank has to do, and whether the
 * chain has what the ledger has not recorded. An account whose signatures have failed waits, and so does what a gas budget holds.
 */
const lookSql = `
  select count(*)::int as open,
    exists (select from unrecorded_outcomes where state = 'open') or exists (
      select from unrecorded_outcomes u join legs w on w.order_id = u.order_id
      where u.state = 'set_aside' and w.kind = 'issue' and w.state = 'ready' and w.created_at > u.decided_at) as has_unrecorded,
    (count(*) filter (where not ${mayWait}))::int as due_now,
    (count(*) filter (where not ${mayWait} and l.state <> 'waiting' and l.kind in ('issue', 'redeem') and ${sinceSql} < now() - interval '${overdueSeconds + 15} seconds'))::int as overdue,
    coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'kind', l.kind) order by l.id)
      filter (where l.state = 'ready' and l.kind in ('payout', 'return')), '[]') as due
  from legs l where l.state in ('waiting', 'ready', 'sent')`;

/** Runs one seed. `databaseUrl` is only shown in the settings: all statements go through `database`. */
export async function runSeed(seed: number, database: SimulatedDatabase, databaseUrl: string): Promise<RunResult> {
  const restoreClock = replaceClock();
  try {
    return await createRun(seed, database, databaseUrl).run();
  } finally {
    restoreClock();
  }
}

let virtualNow = startMs;

/** Whatever asks the process for the time or for a random number, such as libraries for their ids, gets the same in a replay. */
function replaceClock(): () => void {
  const { now } = Date;
  const { random } = Math;
  Date.now = () => virtualNow;
  let drawn = 0;
  Math.random = () => (drawn += 1) / 2 ** 32;
  return () => {
    Date.now = now;
    Math.random = random;
  };
}

function createRun(seed: number, database: SimulatedDatabase, databaseUrl: string) {
  const random = createRandom(seed);
  const plan = drawPlan(random.of('plan'));
  const faults = countFaults();
  const world = createWorld(plan, databaseUrl);
  const { chain, settings, signerKeys } = world;
  const orders: PlacedOrder[] = [];
  const trace: string[] = [];
  const violations: Violation[] = [];
  const ticksOfOrders = Array.from({ length: plan.orders }, (_, index) => random.integer(`order ${index}`, 0, plan.stormTicks - 1));
  const endpoints = plan.endpoints.map((windows, index) =>
    createSimulatedEndpoint({
      name: endpointName(index),
      chain,
      otherChain: world.otherChain,
      windows,
      random: random.of(`endpoint ${index}`),
      faults,
    }),
  );
  const adversary = createAdversary({ chain, token: tokenAddress, signerKeys, plan, random: random.of('adversary'), faults });
  const pool = database.createPool(1);
  const ledger = createLedger(pool, wakesNobody);
  let victims: OutcomeRow[] = [];
  const indexer = createSimulatedIndexer(database, { ...plan.indexer, victims: () => victims }, random.of('indexer'), faults);

  let tick = 0;
  const isStorm = () => tick < plan.stormTicks;
  const say = (line: string) => trace.push(`${tick} ${line}`);
  const fleet = createFleet({
    database,
    world,
    endpoints,
    plan,
    random: random.of('fleet'),
    faults,
    log: simulationLog(),
    now: () => virtualNow,
    say,
  });

  const blocks = createBlockMaker({ chain, plan, random, faults, endpoints, adversary, orders, say });

  const placeOrders = async () => {
    for (const [index, at] of ticksOfOrders.entries())
      if (at === tick) orders.push(await placeOrder({ ledger, random: random.of(`placed ${index}`), now: virtualNow }, orders.length));
  };

  /** The bank pays what is due, or refuses. */
  const bank = async (due: readonly { id: string; kind: string }[]) => {
    for (const { id, kind } of due) {
      const refused = kind === 'payout' && random.chance(`bank ${id}`, plan.bankRefuses) ? 'account closed' : null;
      if (refused) faults.note('bank: payout refused');
      await settleLegs(ledger, [{ legId: id, txHash: null, blockNumber: null, refused }]);
    }
  };

  /** The operator has looked into what the stolen key did: it is no order of this ledger. */
  const setAside = async () => {
    const open = await listOpenOutcomes(ledger, 1_000);
    say(`operator: ${open.length} outcomes set aside`);
    await setOutcomesAside(
      ledger,
      open.map(({ id }) => id),
      'a stolen key',
      'operator',
    );
  };

  const chooseVictims = async () => {
    const open = await database.query<{
      orderId: string;
      account: string;
      amount: string;
      digest: string;
      sequence: string | null;
      kind: 'issue' | 'redeem';
    }>(
      `select l.order_id::text as "orderId", l.account, l.amount::text as amount, o.digest, l.sequence::text as sequence, l.kind
       from legs l join orders o on o.id = l.order_id where l.state = 'sent' and l.kind in ('issue', 'redeem') order by l.id limit 1`,
    );
    victims = open.map(({ orderId, kind, account, digest, sequence, amount }) => ({
      orderId,
      kind,
      account,
      txHash: '0x',
      logIndex: 0,
      token: tokenAddress,
      amount: BigInt(amount) * 10n ** 16n,
      sequence: sequence === null ? null : BigInt(sequence),
      messageHash: digest,
      refused: null,
      blockNumber: 0n,
    }));
  };

  const checkStatus = async (overdue: number) => {
    await beat();
    const status = await readStatus(ledger, settings, new Date(virtualNow));
    say(`status: ${status.problems.map(({ kind }) => kind).join()}`);
    if (status.ok)
      violations.push({
        invariant: 'status names what is stuck',
        text: `${overdue} legs are overdue in tick ${tick}, and all is said to be well`,
      });
  };

  const beat = async () => {
    const block = String(chain.tip().number);
    const facts = { ok: true, ready: true, block, head: block };
    await recordHeartbeat(ledger, { component: 'indexer', chain: 'chiado', instance: 'indexer', facts });
    for (const component of ['common', 'api'] as const)
      await recordHeartbeat(ledger, { component, chain: '', instance: component, facts: { ok: true } });
    await fleet.beat();
  };

  /** What the ledger shows after a tick. Returns how many legs are open. */
  const look = async (): Promise<number> => {
    const [seen] = await database.query<Sight>(lookSql);
    if (!seen) return 0;
    if (seen.has_unrecorded) await setAside();
    if (tick === plan.stormTicks + calmTicks && seen.due_now > 0)
      violations.push({ invariant: 'nothing stuck', text: `${seen.due_now} legs are open ${calmTicks} blocks after the storm` });
    await bank(seen.due);
    if (seen.overdue > 0) await checkStatus(seen.overdue);
    else if (tick % 5 === 0) await beat();
    return seen.open;
  };

  return {
    async run(): Promise<RunResult> {
      await database.reset();
      await indexer.reset();
      virtualNow = startMs;
      await database.setClock(startMs);
      let quiet = 0;
      let clockOffset = 0;
      while (quiet < quietTicks && tick < plan.stormTicks + patientTicks) {
        virtualNow = startMs + tick * tickMs;
        for (const step of plan.clockSteps)
          if (step.tick === tick) {
            clockOffset += step.milliseconds;
            faults.note('database: clock steps back');
          }
        if (!isStorm()) clockOffset = 0;
        await database.setClock(virtualNow + clockOffset);
        await placeOrders();
        await blocks.make(tick, virtualNow);
        if (plan.indexer.falseRowsAt.includes(tick)) await chooseVictims();
        await indexer.follow(tick, chain.tip());
        await fleet.live(tick);
        quiet = (await look()) === 0 && !isStorm() ? quiet + 1 : 0;
        tick += 1;
      }
      await fleet.stop();
      const stuck = new Set((await stuckOrders(ledger)).map(({ id }) => id));
      violations.push(...(await checkInvariants(database, world, orders, { ledger, emptied: adversary.emptied, stuck })));
      for (const row of await database.query<object>(`select id::text, kind, state, sequence::text, tx_hash, reason from legs order by id`))
        trace.push(JSON.stringify(row));
      await pool.end();
      return {
        seed,
        violations,
        faults,
        calmTicks: Math.max(0, tick - plan.stormTicks),
        traceHash: createHash('sha256').update(trace.join('\n')).digest('hex').slice(0, 16),
        trace,
      };
    },
  };
}
