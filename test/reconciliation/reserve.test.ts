import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeIssue } from '../../src/chain/token/calls.ts';
import { viewsSchema } from '../../src/indexed/schema-names.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { replaceCredits } from '../../src/ledger/bank/reported-credits.ts';
import { createLedger, inTransaction, type Ledger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { acknowledgeBreach, openBreaches } from '../../src/ledger/reserve/breaches.ts';
import { createPool } from '../../src/platform/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { minorUnits } from '../../src/platform/money.ts';
import type { Running } from '../../src/platform/loop.ts';
import { readReserve } from '../../src/reconciliation/reserve.ts';
import { startReserveCheck } from '../../src/workers/reserve-check.ts';
import { runChainWorker } from '../../src/workers/run-chain-worker.ts';
import { runIndexer } from '../../src/workers/indexer/run-indexer.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { transact } from '../support/chain/local-chain.ts';
import { operator, startTestNetwork, type TestNetwork } from '../support/chain/network.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
let network: TestNetwork;
let ledger: Ledger;
let customer: TestCustomer;
const running: Running[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  network = await startTestNetwork({ databaseUrl: database.url, mines: false });
  ledger = createLedger(createPool({ connectionString: database.url }), wakesNobody);
  customer = await createCustomer(ledger, 'chiado');
  running.push(await runChainWorker(network.settings, 'chiado'), await runIndexer(network.settings, 'chiado'));
  await until('the indexer is ready', async () => ((await readReserve(ledger, network.settings)) ? true : undefined));
});

afterAll(async () => {
  await Promise.all(running.map((part) => part.close()));
  await ledger?.destroy();
  await network?.stop();
  await database?.drop();
});

async function credit(amount: bigint, iban = customer.iban): Promise<string | null> {
  const given = {
    reference: randomUUID(),
    bankAccount: 'sandbox',
    iban,
    currency: 'eur',
    amount: minorUnits(amount),
    payer: { name: 'Jón' },
  };
  const [recorded] = await recordCredits(ledger, [given], { source: 'test', defaultMemo: 'memo', tokens: ['chiado:eur'] });
  return recorded?.orderId ?? null;
}

async function reserve() {
  const reserves = await readReserve(ledger, network.settings);
  return reserves?.find(({ currency }) => currency === 'eur');
}

async function stateOf(id: string | null) {
  const { state } = await ledger
    .selectFrom('orders')
    .where('id', '=', id as string)
    .select('state')
    .executeTakeFirstOrThrow();
  return state;
}

describe('the reserve equation', () => {
  it('holds while a credit waits, travels, is indexed and is settled, and counts money that is unmatched', async () => {
    await credit(333n, 'IS000000000000000000000000');
    const id = await credit(1_000n);
    const seen = new Set<string>();
    await until('the order is processed', async () => {
      const now = await reserve();
      if (now) {
        expect(now.difference).toBe(0n);
        seen.add(`${now.circulation.chiado ?? 0n} + ${now.underWay}`);
      }
      await network.rpc.mine({ blocks: 1 });
      return (await stateOf(id)) === 'processed' || undefined;
    });
    expect(await reserve()).toMatchObject({ circulation: { chiado: 1_000n }, underWay: 333n, received: 1_333n, difference: 0n });
    expect(seen).toContain('0 + 1333');
  });

  it('counts a sum once that was reported before its transactions', async () => {
    const before = await reserve();
    const nobody = 'IS000000000000000000000000';
    const sum = {
      reference: 'SUM',
      bankAccount: 'sandbox',
      iban: nobody,
      currency: 'eur',
      amount: minorUnits(30n),
      payer: {},
      entryReference: 'SUM',
      isSum: true,
    };
    await recordCredits(ledger, [sum], { source: 'test', defaultMemo: 'memo', tokens: ['chiado:eur'] });
    await inTransaction(ledger, (tx) => replaceCredits(tx, [{ reference: 'SUM', remaining: null }]));
    await credit(10n, nobody);
    await credit(20n, nobody);
    expect(await reserve()).toMatchObject({
      difference: 0n,
      underWay: (before?.underWay ?? 0n) + 30n,
      received: (before?.received ?? 0n) + 30n,
    });
  });

  it('is not told while the index lacks rows that were settled, whatever Ponder says of itself', async () => {
    const undone = new Error('undone');
    const without = inTransaction(ledger, async (tx) => {
      // Ponder's triggers work on its own connections only.
      await sql`set local session_replication_role = replica`.execute(tx);
      await sql`delete from ${sql.id(viewsSchema('chiado'), 'outcome')}`.execute(tx);
      await sql`delete from ${sql.id(viewsSchema('chiado'), 'supply')}`.execute(tx);
      expect(await readReserve(tx, network.settings)).toBeUndefined();
      throw undone;
    });
    await expect(without).rejects.toBe(undone);
    expect(await reserve()).toMatchObject({ circulation: { chiado: 1_000n }, difference: 0n });
  });

  it('stops issuing, and only issuing of that currency, when tokens appear that no money stands behind', async () => {
    const check = startReserveCheck({ settings: network.settings, ledger, log: createLog('silent'), registry: new Registry() });
    running.push(check);
    const forged = { sequence: 999n, orderId: 'ab'.repeat(16), account: customer.address, amount: minorUnits(7n) };
    await transact(network.rpc, { from: operator, to: network.tokens.eur as `0x${string}`, data: encodeIssue([forged]) });
    const [breach] = await until('the breach is found', async () => {
      check.wake();
      const open = await openBreaches(ledger);
      return open.length > 0 ? open : undefined;
    });
    expect(breach).toMatchObject({ currency: 'eur', difference: 7n });
    const id = await credit(100n);
    await network.rpc.mine({ blocks: 3 });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await stateOf(id)).toBe('placed');

    const items = [{ text: 'forged', amount: minorUnits(7n) }];
    await acknowledgeBreach(ledger, { currency: 'eur', comparison: 'index', reason: 'a stolen key', items, operator: 'otto' });
    await until('the order is processed', async () => {
      await network.rpc.mine({ blocks: 1 });
      return (await stateOf(id)) === 'processed' || undefined;
    });

    for (let checks = 0; checks < 5; checks += 1) {
      check.wake();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await openBreaches(ledger)).toEqual([]);
  });
});
