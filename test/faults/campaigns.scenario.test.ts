import { randomInt } from 'node:crypto';
import path from 'node:path';
import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Order } from '../../client/index.ts';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import { readBalances } from '../../src/ledger/book/balances.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { comparisonNames } from '../../src/ledger/reserve/comparison.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool } from '../../src/platform/database.ts';
import { statementConnection } from '../../src/platform/postgres/connections.ts';
import { expectReconciled } from '../scenarios/expect-reconciled.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { readBalance, readMints, readMoves } from '../scenarios/token-logs.ts';
import { asHledgerShows, hasHledger, hledgerBalances } from '../support/hledger.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { until } from '../support/until.ts';
import { campaigns, shortCampaign } from './campaigns.ts';
import { readOrders } from './holders.ts';
import { isScaledOut, type LoadedService, startLoadedService } from './loaded-service.ts';
import { cannotScaleOut } from './scaled-out.ts';

const selected = process.env['FAULTS'];
const seed = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 31));
const chosen = selected === undefined ? [shortCampaign] : campaigns.filter(({ name }) => new RegExp(selected, 'i').test(name));

/** Connections that PgBouncer has to the database at most: its `default_pool_size`. */
const poolSize = 20;

// A file without a test fails, also where none of its campaigns is chosen.
it.skipIf(chosen.length > 0)('runs no campaign: none has the name that is asked for', () => {});

describe.each(chosen)(`orders under way while $name (FAULT_SEED=${seed})`, ({ load, shots }) => {
  const random = seededRandom(seed);
  let service: LoadedService;
  let ledger: Ledger;
  let orders: Map<string, Order>;

  beforeAll(async () => {
    service = await startLoadedService();
    ledger = createLedger(
      createPool({ ...statementConnection(cliSettings({ MINTRAIL_DATA_DIR: service.run.dataDir })), max: 1 }),
      wakesNobody,
    );
    const placing = service.placeOrders(load, random);
    // It is waited for below.
    placing.catch(() => {});
    const shooting = async () => {
      for (const shot of shots(seededRandom(seed))) console.log(await shot(service));
      await placing;
    };
    await shooting().catch((error: unknown) => {
      console.log(service.run.logTails());
      throw error;
    });
  }, 3_600_000);
  afterAll(async () => {
    await ledger?.destroy();
    await service?.stop();
  });

  it('all end, processed or rejected, and none that nothing spoke against is rejected', async ({ onTestFailed }) => {
    onTestFailed(() => console.log(service.run.logTails()));
    const startedAt = Date.now();
    orders = await until('all orders have ended', async () => {
      const found = await readOrders(service.holders.client).catch(() => undefined);
      return found && [...found.values()].every(({ state }) => state === 'processed' || state === 'rejected') ? found : undefined;
    });
    console.log(`${orders.size} orders have ended ${Math.round((Date.now() - startedAt) / 1_000)} s after the last shot`);
    for (const { id, doomed } of service.placed) {
      expect(orders.get(id), `order ${id} is known`).toBeDefined();
      if (!doomed) expect(orders.get(id)).toMatchObject({ state: 'processed' });
    }
    const all = [...orders.values()];
    const placed = new Set(service.placed.map(({ id }) => id));
    const others = all.filter(({ id }) => !placed.has(id)).map(({ kind, amount }) => `${kind} ${parseUnits(amount, 2)}`);
    // Who gets tokens from another chain has an order, too.
    const received = all.filter(
      ({ kind, counterpart }) => kind === 'redeem' && counterpart !== undefined && 'chain' in counterpart.identifier,
    );
    const due = [...received.map(({ amount }) => amount), ...Array.from({ length: load.statements }, () => '5')];
    expect(others.toSorted(), 'a payment that is reported again is the same money').toEqual(
      due.map((amount) => `issue ${parseUnits(amount, 2)}`).toSorted(),
    );
    const rejected = all.filter(({ state }) => state === 'rejected');
    expect(rejected.length).toBeGreaterThan(0);
    for (const order of rejected) expect(order.meta.rejectedReason).toMatch(/AC04|holds less/);
  });

  it('leave the book balanced at every second, and equal to the states, the index, the nodes and the bank', async () => {
    const { looks, wrong } = await service.watch.end();
    console.log(`comparisons made: ${JSON.stringify(looks)}`);
    expect(wrong).toEqual([]);
    for (const name of comparisonNames) expect(looks[name], name).toBeGreaterThan(0);
  });

  it('move tokens once for each leg, as the chains themselves say', async () => {
    const { issued, redeemed } = await readMoves(service.file, 'eur');
    expect(new Set(issued).size).toBe(issued.length);
    expect(new Set(redeemed).size).toBe(redeemed.length);
    const all = [...orders.values()];
    const burnt = all.filter(({ kind, state, meta }) => kind === 'redeem' && (state === 'processed' || meta.txHashes?.length === 2));
    const minted = all.filter(({ kind, state }) => kind === 'issue' && state === 'processed');
    const givenBack = all.filter(({ kind, state, meta }) => kind === 'redeem' && state === 'rejected' && meta.txHashes?.length === 2);
    expect(redeemed.toSorted()).toEqual(burnt.map(({ id }) => id).toSorted());
    expect(issued.toSorted()).toEqual([...minted, ...givenBack].map(({ id }) => id).toSorted());
  });

  it('are issued to whom and with what was paid, in one transaction each', async () => {
    const credits = [...orders.values()].filter(({ kind }) => kind === 'issue');
    const mints = (await readMints(service.file, 'eur')).filter(({ orderId }) => orders.get(orderId)?.kind === 'issue');
    const due = credits.map(({ id, chain, address, amount }) => `${id} ${chain} ${address.toLowerCase()} ${parseUnits(amount, 18)}`);
    expect(mints.map(({ orderId, chain, account, amount }) => `${orderId} ${chain} ${account} ${amount}`).toSorted()).toEqual(
      due.toSorted(),
    );
    for (const { meta } of credits) expect(meta.txHashes).toHaveLength(1);
  });

  it('are paid by the bank once each', async () => {
    const env = { MINTRAIL_DATA_DIR: service.run.dataDir };
    const { stdout } = await mintrail(['payments', 'list', '--state', 'accepted', '--limit', '1000', '--json'], env);
    const payments = JSON.parse(stdout) as { orderId: string; amount: string; iban: string }[];
    const due = [...orders.values()].flatMap(({ id, kind, state, amount, counterpart }) =>
      kind === 'redeem' && state === 'processed' && counterpart !== undefined && 'iban' in counterpart.identifier
        ? [`${id} ${parseUnits(amount, 2)} ${counterpart.identifier.iban}`]
        : [],
    );
    expect(payments.map(({ orderId, amount, iban }) => `${orderId} ${parseUnits(amount, 2)} ${iban}`).toSorted()).toEqual(due.toSorted());
  });

  it('show in the balances of the API as in those of the chains', async () => {
    const { client, keys, mover, safe } = service.holders;
    const accounts = [
      ...keys.map(({ address }) => ({ chain: 'chiado' as const, address })),
      ...[...keys, mover, safe].map(({ address }) => ({ chain: 'sepolia' as const, address })),
    ];
    for (const { chain, address } of accounts) {
      const { balances } = await client.get('/balances/{chain}/{address}', { path: { chain, address } });
      expect(parseUnits(balances[0]?.amount ?? '0', 18)).toBe(await readBalance(service.file, chain, 'eur', address));
    }
  });

  it('need no more connections than PgBouncer has', ({ skip }) => {
    if (!isScaledOut) skip(cannotScaleOut);
    console.log(`connections: ${service.pooled.join(', ')}`);
    for (const pooled of service.pooled) expect(pooled).toBeLessThanOrEqual(poolSize);
  });

  it('leave no difference between tokens and money', async () => {
    await expectReconciled(service.run.dataDir);
  });

  it('leave a journal of which hledger says the same', async ({ skip }) => {
    if (!(await hasHledger())) skip('hledger is not installed');
    const journal = path.join(service.run.dataDir, 'book.journal');
    const before = asHledgerShows(await readBalances(ledger));
    expect(await mintrail(['book', 'export', '--output', journal], { MINTRAIL_DATA_DIR: service.run.dataDir })).toMatchObject({ code: 0 });
    expect(asHledgerShows(await readBalances(ledger)), 'nothing is booked any more').toEqual(before);
    expect(await hledgerBalances(journal)).toEqual(before);
  });

  it('leave a service that is ready, and in which nothing stops money', async () => {
    const env = { MINTRAIL_DATA_DIR: service.run.dataDir };
    await until('every API is ready', async () => (await Promise.all(service.apiUrls().map(isReady))).every(Boolean) || undefined);
    let status = '';
    await until('nothing stops money', async () => {
      const { code, stdout } = await mintrail(['status'], env);
      status = stdout;
      return code === 0 || undefined;
    }).catch((error: unknown) => {
      throw new Error(status, { cause: error });
    });
  });
});

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}
