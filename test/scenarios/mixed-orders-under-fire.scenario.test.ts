import { randomInt } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, http } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../client/index.ts';
import type { SandboxFile } from '../../src/cli/sandbox/sandbox-process.ts';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import { readBalances } from '../../src/ledger/book/balances.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { comparisonNames } from '../../src/ledger/reserve/comparison.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { statementConnection } from '../../src/platform/postgres/connections.ts';
import { createPool } from '../../src/platform/database.ts';
import { asHledgerShows, hasHledger, hledgerBalances } from '../support/hledger.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { startTestRedis, type TestRedis } from '../support/processes/redis.ts';
import { until } from '../support/until.ts';
import { expectReconciled } from './expect-reconciled.ts';
import { readMoves } from './token-logs.ts';
import { createHolders, type Holders, type PlacedOrder, readOrders } from './holders.ts';
import { placeMixedOrders } from './mixed-orders.ts';
import { reportStatements } from './report-statements.ts';
import { processTree, signalAll } from '../support/processes/process-tree.ts';
import { balanced, cannotScaleOut, type Copies, countConnections, startCopies } from './scaled-out.ts';
import { seededRandom, shuffled } from './seeded-random.ts';
import { createSandboxRun, type SandboxRun } from './sandbox-run.ts';
import { type BookWatch, watchBook } from './watch-book.ts';

/** `FIRE_ORDERS=300 FIRE_SEED=… npm test -- test/scenarios/mixed-orders-under-fire.scenario.test.ts` is the full size, and shoots the same again. */
const seed = Number(process.env['FIRE_SEED'] ?? randomInt(2 ** 31));
const count = Number(process.env['FIRE_ORDERS'] ?? 60);
const random = seededRandom(seed);

/** Blocks on top before an outcome counts; the reorganisations stay within them. */
const confirmations = 3;

/** With Redis, PgBouncer in transaction mode and copies of the processes, where these are installed; `FIRE_SCALED=no` leaves them out. */
const isScaledOut = cannotScaleOut === undefined && process.env['FIRE_SCALED'] !== 'no';

/** Connections that PgBouncer has to the database at most: its `default_pool_size`. */
const poolSize = 20;

/** Statements that the bank reports under fire. */
const statements = 5;

/** It is ended by who has started it. */
const redisServer = /redis-server/;

const targets: RegExp[] = [
  /main\.ts worker --chain chiado/,
  /main\.ts indexer --chain chiado/,
  /ponder\.js .* --schema idx_chiado/,
  /ponder\.js .* --schema idx_sepolia/,
  ...(isScaledOut ? [/main\.ts api/, /main\.ts worker/, /pgbouncer .*\.ini/, redisServer] : []),
];

describe(`${count} mixed orders under fire${isScaledOut ? ', scaled out' : ''} (FIRE_SEED=${seed})`, () => {
  let run: SandboxRun;
  let redis: TestRedis | undefined;
  let copies: Copies | undefined;
  const connections: { pooled: number; direct: number }[] = [];
  let file: SandboxFile;
  let holders: Holders;
  let watch: BookWatch;
  let placed: PlacedOrder[];
  let orders: Awaited<ReturnType<typeof readOrders>>;

  beforeAll(async () => {
    console.log(`FIRE_SEED=${seed} FIRE_ORDERS=${count}`);
    redis = isScaledOut ? await startTestRedis() : undefined;
    const queues = redis && { REDIS_URL: redis.url };
    run = await createSandboxRun(
      ['--chain', 'chiado', '--chain', 'sepolia', '--confirmations', String(confirmations), ...(isScaledOut ? ['--pgbouncer'] : [])],
      queues,
    );
    file = await run.start();
    copies = isScaledOut ? await startCopies(run.dataDir, { ...queues }) : undefined;
    const fetch = balanced([file.apiUrl, ...(copies?.apiUrls ?? [])]);
    holders = await createHolders(file, createClient({ baseUrl: file.apiUrl, ...file.applications.private, fetch }));
    watch = watchBook(run.dataDir, file);
    [placed] = await Promise.all([placeMixedOrders(holders, count, random), fire(), reportStatements(run.dataDir, holders, statements)]);
  }, 600_000);

  afterAll(async () => {
    await copies?.close();
    await run?.stop();
    await redis?.close();
    run?.remove();
  });

  it('all end, processed or rejected, and none that nothing spoke against is rejected', async () => {
    orders = await until('all orders have ended', async () => {
      const found = await readOrders(holders.client).catch(() => undefined);
      return found && [...found.values()].every(({ state }) => state === 'processed' || state === 'rejected') ? found : undefined;
    });
    for (const { id, doomed } of placed) {
      expect(orders.get(id), `order ${id} is known`).toBeDefined();
      if (!doomed) expect(orders.get(id)).toMatchObject({ state: 'processed' });
    }
    const rejected = [...orders.values()].filter(({ state }) => state === 'rejected');
    expect(rejected.length).toBeGreaterThan(0);
    for (const order of rejected) expect(order.meta.rejectedReason).toMatch(/AC04|holds less/);
  });

  it('leave the book balanced at every second, and equal to the states, the index, the nodes and the bank', async () => {
    const { looks, wrong } = await watch.end();
    console.log(`comparisons made: ${JSON.stringify(looks)}`);
    expect(wrong).toEqual([]);
    for (const name of comparisonNames) expect(looks[name], name).toBeGreaterThan(5);
  });

  it('move tokens once for each leg, as the chains themselves say', async () => {
    const { issued, redeemed } = await readMoves(file, 'eur');
    expect(new Set(issued).size).toBe(issued.length);
    expect(new Set(redeemed).size).toBe(redeemed.length);
    const all = [...orders.values()];
    const burnt = all.filter(({ kind, state, meta }) => kind === 'redeem' && (state === 'processed' || meta.txHashes?.length === 2));
    const minted = all.filter(({ kind, state }) => kind === 'issue' && state === 'processed');
    const givenBack = all.filter(({ kind, state, meta }) => kind === 'redeem' && state === 'rejected' && meta.txHashes?.length === 2);
    expect(redeemed.toSorted()).toEqual(burnt.map(({ id }) => id).toSorted());
    expect(issued.toSorted()).toEqual([...minted, ...givenBack].map(({ id }) => id).toSorted());
  });

  it('need no more connections than PgBouncer has', ({ skip }) => {
    if (!isScaledOut) skip(cannotScaleOut);
    console.log(`connections: ${JSON.stringify(connections)}`);
    for (const { pooled } of connections) expect(pooled).toBeLessThanOrEqual(poolSize);
    expect(connections.length).toBe(targets.length);
  });

  it('leave no difference between tokens and money', async () => {
    await expectReconciled(run.dataDir);
  });

  it('leave a journal of which hledger says the same', async ({ skip }) => {
    if (!(await hasHledger())) skip('hledger is not installed');
    const journal = path.join(run.dataDir, 'book.journal');
    const env = { MINTRAIL_DATA_DIR: run.dataDir };
    const ledger = createLedger(createPool({ ...statementConnection(cliSettings(env)), max: 1 }), wakesNobody);
    const before = asHledgerShows(await readBalances(ledger));
    expect(await mintrail(['book', 'export', '--output', journal], env)).toMatchObject({ code: 0 });
    expect(asHledgerShows(await readBalances(ledger)), 'nothing is booked any more').toEqual(before);
    await ledger.destroy();
    expect(await hledgerBalances(journal)).toEqual(before);
  });

  /** Kills the processes of a target; where there are copies, only one of them half of the time. */
  async function shoot(target: RegExp): Promise<void> {
    if (target === redisServer) {
      await redis?.kill();
      await delay(random() * 1_000);
      return redis?.start();
    }
    // Those of the sandbox and the copies.
    const all = processTree(process.pid).filter(({ command }) => target.test(command));
    const hit = isScaledOut && random() < 0.5 ? all.slice(-1) : all;
    signalAll(
      hit.flatMap(({ pid }) => processTree(pid)),
      'SIGKILL',
    );
  }

  /** Kills processes, and takes the newest blocks of chiado away, until every target was hit. */
  async function fire(): Promise<void> {
    const chiado = createTestClient({ mode: 'anvil', transport: http(file.chains.chiado?.rpcUrl) });
    for (const target of shuffled(targets, random)) {
      await delay(500 + random() * 1_500);
      await shoot(target);
      await delay(random() * 1_000);
      if (isScaledOut) connections.push(await countConnections(run.dataDir));
      const depth = 1 + Math.floor(random() * (confirmations - 1));
      await chiado.request({ method: 'anvil_reorg', params: [depth, []] } as never);
      console.log(`shot ${target.source}, took ${depth} blocks away`);
    }
  }
});
