import { type QueryExecutorProvider, sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findDamage } from '../../src/indexed/damage.ts';
import { newestSettledLeg } from '../../src/ledger/lanes/decided-legs.ts';
import { endRebuild, readRebuild, requestRebuild } from '../../src/ledger/lanes/index-rebuilds.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { connectLocalChain } from '../support/chain/local-chain.ts';
import { createTestIndex } from '../support/chain/test-index.ts';
import { testLedger } from '../support/test-ledger.ts';

const { ledger, pool } = testLedger();
const token = lowerAddress(`0x${'12'.repeat(20)}`);

beforeAll(async () => {
  const nobody = connectLocalChain('http://127.0.0.1:9', 10200);
  const index = await createTestIndex(pool, 'chiado', nobody, []);
  const account = '0xa';
  await index.insert({ kind: 'issue', txHash: '0x1', blockNumber: 1n, token, orderId: 'a', account, amount: 70n, sequence: 1n });
  await index.insert({ kind: 'redeem', txHash: '0x2', blockNumber: 2n, token, orderId: 'b', account, amount: 20n });
  await index.insert({ kind: 'redeem', txHash: '0x3', blockNumber: 3n, token, orderId: 'c', account, amount: 9n, refused: 'no' });
  await pool.query(`insert into idx_chiado.supply values ($1, 50, 70, 20)`, [token]);
  await pool.query(`insert into idx_chiado.balance values ($1, '0xa', 49), ($1, '0xb', 1)`, [token]);
});

const network = { chain: 'chiado', tokens: { eur: token } } as const;
const find = (database: QueryExecutorProvider) => findDamage(database, network, 'idx_chiado_1', newestSettledLeg);
const undone = new Error('undone');

/** What is found after statements that are undone. */
async function findAfter(...statements: string[]) {
  let found: Awaited<ReturnType<typeof find>>;
  const look = inTransaction(ledger, async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx);
    found = await find(tx);
    throw undone;
  });
  await expect(look).rejects.toBe(undone);
  return found;
}

const aSettledLeg = () => sql`(select 'issue' as kind)`;

describe('what contradicts itself in an index', () => {
  it.each([
    ['all balances of eur are 49 token units and its supply 50', true, `delete from idx_chiado.balance where account = '0xb'`],
    ['all balances of eur are 52 token units and its supply 50', true, 'update idx_chiado.balance set amount = amount + 1'],
    ['the issues of eur are 0 token units, and 70 were issued', false, `delete from idx_chiado.outcome where kind = 'issue'`],
    [
      'the redemptions of eur are 40 token units, and 20 were redeemed',
      false,
      `insert into idx_chiado.outcome select * from idx_chiado.outcome where kind = 'redeem' and refused is null`,
    ],
    ['supply of the index cannot be read', true, 'drop table idx_chiado.supply'],
    ['the index does not say how far it is', false, 'delete from idx_chiado._ponder_meta'],
  ])('is damage: %s', async (text, holdsBalances, statement) => {
    expect(await findAfter(statement)).toEqual({ text, holdsBalances });
  });

  it('is that complete tables have no views any more', async () => {
    const renamed = ['alter schema idx_chiado rename to idx_chiado_1', 'create schema idx_chiado'];
    const all = { text: 'balance, outcome, supply, _ponder_meta, _ponder_checkpoint of the index cannot be read', holdsBalances: true };
    expect(await findAfter(...renamed)).toEqual(all);
    const notReady = `update idx_chiado_1._ponder_meta set value = '{"is_ready": "0"}'`;
    expect(await findAfter(...renamed, notReady)).toBeUndefined();
  });

  it('is that tables are gone though legs are settled', async () => {
    await inTransaction(ledger, async (tx) => {
      await sql`drop schema idx_chiado cascade`.execute(tx);
      expect(await findDamage(tx, network, 'idx_chiado_1', aSettledLeg)).toMatchObject({ holdsBalances: true });
      expect(await findDamage(tx, network, 'idx_chiado_1', newestSettledLeg)).toBeUndefined();
      throw undone;
    }).catch((error: unknown) => expect(error).toBe(undone));
  });

  it('is none while the indexer is not ready, has never been, or rows add up', async () => {
    const notReady = `update idx_chiado._ponder_meta set value = '{"is_ready": "0"}'`;
    expect(await findAfter(notReady, 'delete from idx_chiado.balance')).toBeUndefined();
    expect(await findAfter('drop schema idx_chiado cascade')).toBeUndefined();
    expect(await find(ledger)).toBeUndefined();
  });
});

const read = () => readRebuild(ledger, 'chiado', 'idx_chiado_1');
const end = async () => endRebuild(ledger, 'chiado', (await read()) ?? { number: 0 });

describe('a rebuild', () => {
  const damage = { text: 'rows are missing', holdsBalances: true };
  const request = (indexName = 'idx_chiado_1') => requestRebuild(ledger, { chain: 'chiado', indexName, damage });
  beforeEach(() => sql`delete from index_rebuilds`.execute(ledger));

  it('is asked for once, however many find the damage, and has the next number when the one before is over', async () => {
    expect(await read()).toBeUndefined();
    expect(await Promise.all([request(), request(), request()])).toHaveLength(3);
    expect(await request()).toBe(false);
    expect(await read()).toMatchObject({ number: 1, damage: 'rows are missing', isOver: false, isDue: true });
    await end();
    expect(await read()).toMatchObject({ number: 1, isOver: true });
    expect(await request()).toBe(true);
    expect(await read()).toMatchObject({ number: 2, isOver: false });
  });

  it('that is one of many in a row waits', async () => {
    const due = [];
    for (let count = 0; count < 5; count += 1) {
      await request();
      due.push((await read())?.isDue);
      await end();
    }
    expect(due).toEqual([true, true, true, false, false]);
    await sql`update index_rebuilds set ended_at = now() - interval '61 minutes'`.execute(ledger);
    await request();
    expect(await read()).toMatchObject({ number: 6, isDue: true });
  });

  it('of other tables, as after a new token, counts anew', async () => {
    await request();
    expect(await request('idx_chiado_2')).toBe(true);
    expect(await read()).toBeUndefined();
    expect(await readRebuild(ledger, 'chiado', 'idx_chiado_2')).toMatchObject({ number: 1 });
  });
});
