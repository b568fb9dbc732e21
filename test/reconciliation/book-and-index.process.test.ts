import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { endRecovery } from '../../src/ledger/recoveries.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeIssue } from '../../src/chain/token/calls.ts';
import { viewsSchema } from '../../src/indexed/schema-names.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { inTransaction, type Ledger } from '../../src/ledger/ledger.ts';
import { acknowledgeBreach } from '../../src/ledger/reserve/acknowledge-breach.ts';
import { openBreaches } from '../../src/ledger/reserve/breaches.ts';
import { setOutcomesAside } from '../../src/ledger/recovery/decide-outcomes.ts';
import { listOpenOutcomes } from '../../src/ledger/recovery/unrecorded-outcomes.ts';
import { createLog } from '../../src/platform/log.ts';
import { minorUnits } from '../../src/platform/money.ts';
import type { Running } from '../../src/platform/loop.ts';
import { networkSettings } from '../../src/platform/settings.ts';
import { compareBookWithIndex } from '../../src/reconciliation/book-and-index.ts';
import { compareBookWithStates } from '../../src/reconciliation/book-and-states.ts';
import { readReserve } from '../../src/reconciliation/reserve.ts';
import { createBreachWatch } from '../../src/workers/comparisons/breach-watch.ts';
import { runChainWorker } from '../../src/workers/run-chain-worker.ts';
import { runIndexer } from '../../src/workers/indexer/run-indexer.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { transact } from '../support/chain/local-chain.ts';
import { operator, startTestNetwork, type TestNetwork } from '../support/chain/network.ts';
import { until } from '../support/until.ts';
import { testLedger } from '../support/test-ledger.ts';

const database = testLedger();
const { ledger } = database;
let network: TestNetwork;
let customer: TestCustomer;
const running: Running[] = [];

beforeAll(async () => {
  network = await startTestNetwork({ databaseUrl: database.url, mines: false });
  customer = await createCustomer(ledger, 'chiado');
  running.push(await runChainWorker(network.settings, 'chiado'), await runIndexer(network.settings, 'chiado'));
  await until('the indexer is ready', async () => ((await compare()) ? true : undefined));
});

afterAll(async () => {
  await Promise.all(running.map((part) => part.close()));
  await network?.close();
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

async function compare(from: Ledger = ledger) {
  return (await compareBookWithIndex(from, networkSettings(network.settings, 'chiado')))?.[0];
}

async function stateOf(id: string | null) {
  const { state } = await ledger
    .selectFrom('orders')
    .where('id', '=', id as string)
    .select('state')
    .executeTakeFirstOrThrow();
  return state;
}

describe('the book and the indexed supply', () => {
  it('agree while a credit waits, travels, is indexed and is settled: what is indexed and not settled is an item', async () => {
    await credit(333n, 'IS000000000000000000000000');
    const id = await credit(1_000n);
    const seen = new Set<string>();
    await until('the order is processed', async () => {
      const now = await compare();
      if (now) {
        expect(now.difference).toBe(0n);
        seen.add(`${now.expected} ${now.actual} ${now.items.map(({ text }) => text).join()}`);
      }
      for (const { difference } of await compareBookWithStates(ledger)) expect(difference).toBe(0n);
      await network.rpc.mine({ blocks: 1 });
      return (await stateOf(id)) === 'processed' || undefined;
    });
    expect(await compare()).toMatchObject({ account: 'liabilities:tokens:chiado', expected: 1_000n, actual: 1_000n, items: [] });
    expect(seen).toContain('0 0 ');
    expect(await readReserve(ledger)).toMatchObject([
      { currency: 'eur', bank: { sandbox: 1_333n }, circulation: { chiado: 1_000n }, underWay: { issue: 0n, suspense: 333n } },
    ]);
  });

  it('agree in the snapshot in which an issue is indexed and not settled', async () => {
    const undone = new Error('undone');
    const before = inTransaction(ledger, async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      const { id } = await tx
        .selectFrom('legs')
        .where('kind', '=', 'issue')
        .where('state', '=', 'done')
        .select('id')
        .executeTakeFirstOrThrow();
      await sql`insert into open_legs (id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, state, token, sequence, transaction)
        select id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, 'sent', token, sequence, transaction
        from leg_history where id = ${id}`.execute(tx);
      await tx.updateTable('legHistory').set({ outcome: null, doneAt: null }).where('id', '=', id).execute();
      await sql`delete from balances where account = 'liabilities:tokens:chiado'`.execute(tx);
      await sql`delete from balance_changes where account = 'liabilities:tokens:chiado'`.execute(tx);
      const items = [{ text: 'issued in 1 legs that are not settled yet', amount: 1_000n }];
      expect(await compare(tx)).toMatchObject({ expected: 0n, actual: 1_000n, items, difference: 0n });
      throw undone;
    });
    await expect(before).rejects.toBe(undone);
  });

  it('are not compared while the index lacks rows that were settled, whatever Ponder says of itself', async () => {
    const undone = new Error('undone');
    const without = inTransaction(ledger, async (tx) => {
      // Ponder's triggers work on its own connections only.
      await sql`set local session_replication_role = replica`.execute(tx);
      await sql`delete from ${sql.id(viewsSchema('chiado'), 'outcome')}`.execute(tx);
      await sql`delete from ${sql.id(viewsSchema('chiado'), 'supply')}`.execute(tx);
      expect(await compare(tx)).toBeUndefined();
      throw undone;
    });
    await expect(without).rejects.toBe(undone);
    expect(await compare()).toMatchObject({ actual: 1_000n, difference: 0n });
  });

  it('stop issuing, and only issuing of that currency, when tokens appear that no order issued', async () => {
    const watch = createBreachWatch({ ledger, log: createLog('silent') });
    const judge = async () => {
      const comparison = await compare();
      if (comparison) await watch.judge([comparison]);
      return openBreaches(ledger);
    };
    const forged = { sequence: 999n, orderId: 'ab'.repeat(16), account: customer.address, amount: minorUnits(7n) };
    await transact(network.rpc, { from: operator, to: network.tokens.eur as `0x${string}`, data: encodeIssue([forged]) });
    const [breach] = await until('the breach is found', async () => {
      const open = await judge();
      return open.length > 0 ? open : undefined;
    });
    expect(breach).toMatchObject({ currency: 'eur', comparison: 'index', chain: 'chiado', difference: 7n });
    const id = await credit(100n);
    await network.rpc.mine({ blocks: 3 });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await stateOf(id)).toBe('placed');

    // The audit of the log has found the same transaction, and holds the currency on its own.
    const outcomes = await until('the audit has found it', async () => {
      const open = await listOpenOutcomes(ledger, 10);
      return open.length > 0 ? open : undefined;
    });
    await setOutcomesAside(
      ledger,
      outcomes.map((outcome) => outcome.id),
      'a stolen key',
      'otto',
    );
    const items = [{ text: 'forged', amount: minorUnits(7n) }];
    const acknowledge = () =>
      acknowledgeBreach(ledger, { currency: 'eur', comparison: 'index', reason: 'a stolen key', items, operator: 'otto' });
    await expect(acknowledge()).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('A recovery is open') as string,
    });
    await endRecovery(ledger, 'otto');
    expect(await stateOf(id)).toBe('placed');
    await acknowledge();
    await until('the order is processed', async () => {
      await network.rpc.mine({ blocks: 1 });
      return (await stateOf(id)) === 'processed' || undefined;
    });
    for (let turn = 0; turn < 5; turn += 1) await judge();
    expect(await openBreaches(ledger)).toEqual([]);
  });
});
