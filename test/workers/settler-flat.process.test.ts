import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasNewestRows } from '../../src/indexed/newest-rows.ts';
import { indexedOutcomes, indexedOutcomesBehind, indexedOutcomesBetween } from '../../src/indexed/outcomes.ts';
import { readNews } from '../../src/indexed/progress.ts';
import {
  findDecidedLegs,
  findDisregardedOutcomes,
  findLegsDecidedBy,
  hasSentLegs,
  newestSettledLeg,
  openLegsCarriedOut,
} from '../../src/ledger/lanes/decided-legs.ts';
import { hasUnrecordedOutcomes } from '../../src/ledger/recovery/unrecorded-outcomes.ts';
import { mostTracedOrders, tracesOfTransaction } from '../../src/ledger/orders/traces/order-traces.ts';
import { type Settling, startSettling } from './settling.ts';

const settledLegs = 30_000;
const sentLegs = 200;
const outcomes = indexedOutcomes('chiado');
const filter = { chain: 'chiado' as const, outcomes, upToBlock: 1_000_000n, except: [], limit: 1_000 };

let settling: Settling;

beforeAll(async () => {
  settling = await startSettling();
  const { pool, customer, token } = settling;
  await pool.query('alter table orders disable trigger user');
  await pool.query(
    `insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, digest, state, processed_at)
     select uuidv7(), case when n % 2 = 0 then 'issue' else 'redeem' end, $1, $2, 'chiado', 'eur', 1, '{}', '', '0x' || md5(n::text), 'processed', now()
     from generate_series(1, $3::int) n`,
    [customer.profile, customer.address, settledLegs],
  );
  await pool.query(
    `with t as (
       insert into transactions (chain, signer, nonce, currency, kind, gas_limit, sent_at_block)
       values ('chiado', '0x1', 0, 'eur', 'issue', 1, 1) returning id
     ), numbered as (select *, row_number() over () as number from orders), begun as (
       insert into leg_history (order_id, kind, position, chain, currency, account, amount, signed_by, token, sequence, transaction, tx_hash,
         block_number, outcome, done_at)
       select o.id, o.kind, 0, o.chain, o.currency, o.address, o.amount, case when o.kind = 'redeem' then 'key' else 'nobody' end, $2,
         case when o.kind = 'issue' then number end, t.id, '0x01', number,
         case when number > $1::int then 'done' end, case when number > $1::int then now() end
       from numbered o, t returning *
     )
     insert into open_legs (id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, state, token, sequence, transaction)
     select id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, 'sent', token, sequence, transaction
     from begun where outcome is null`,
    [sentLegs, token],
  );
  await pool.query(
    `insert into idx_chiado.outcome (kind, tx_hash, block_number, token, order_id, account, amount, sequence, message_hash)
     select l.kind, '0x01', l.block_number, l.token, l.order_id::text, l.account, 1e16::numeric, l.sequence,
       case when l.kind = 'redeem' then o.digest end
     from leg_history l join orders o on o.id = l.order_id`,
  );
});

afterAll(() => settling?.stop());

/** Rows of the tables that a query reads, with or without an index. */
async function rowsRead(query: () => Promise<unknown>): Promise<number> {
  await reportReads();
  const before = await readsSoFar();
  await query();
  await reportReads();
  return (await readsSoFar()) - before;
}

async function readsSoFar(): Promise<number> {
  const { rows } = await settling.pool.query<{ rows: string }>(
    `select sum(seq_tup_read + idx_tup_fetch) as rows from pg_stat_user_tables where relname in ('open_legs', 'leg_history', 'outcome', 'orders')`,
  );
  return Number(rows[0]?.rows);
}

/** Each connection of the pool reports what it has read when it is told to. */
async function reportReads(): Promise<void> {
  const clients = await Promise.all(Array.from({ length: 10 }, () => settling.pool.connect()));
  for (const client of clients) await client.query('select pg_stat_force_next_flush()');
  for (const client of clients) client.release();
}

/** Statistics as of a time at which there was no redemption yet, and no leg that was sent. */
async function rememberOtherTimes(): Promise<void> {
  await settling.pool.query('analyze');
  const columns = { orders: ['kind', 'issue'], open_legs: ['claim_state', 'ready'], leg_history: ['outcome', 'done'] };
  for (const [table, [column, onlyValue]] of Object.entries(columns))
    await settling.pool.query(
      `select pg_restore_attribute_stats('schemaname', 'ledger', 'relname', $1::text, 'attname', $2::text, 'inherited', false, 'null_frac', 0::real,
         'avg_width', 5, 'n_distinct', 1::real, 'most_common_vals', $3::text, 'most_common_freqs', '{1}'::real[])`,
      [table, column, `{${onlyValue}}`],
    );
}

const preparations = {
  'without statistics': async () => {},
  'with statistics': () => settling.pool.query('analyze'),
  'with statistics of other times': rememberOtherTimes,
};

describe.each(Object.entries(preparations))('settling costs no more when history grows (%s)', (_statistics, prepare) => {
  beforeAll(async () => void (await prepare()));

  it.each([
    ['legs that are decided', async () => (await findDecidedLegs(settling.ledger, filter)).length, sentLegs],
    [
      'legs that new outcomes decide',
      // Twice as many outcomes as decided legs: the others' legs have ended.
      async () => {
        const newOutcomes = indexedOutcomesBetween('chiado', 0n, BigInt(2 * sentLegs));
        return (await findLegsDecidedBy(settling.ledger, { ...filter, outcomes: newOutcomes })).length;
      },
      sentLegs,
    ],
    [
      'the orders of a transaction',
      async () => {
        const { rows } = await settling.pool.query<{ id: string }>('select id from transactions');
        return (await tracesOfTransaction(settling.ledger, rows[0]?.id as string)).orderIds.length;
      },
      mostTracedOrders,
    ],
    ['outcomes that decide nothing', async () => (await findDisregardedOutcomes(settling.ledger, filter)).length, 0],
    [
      'whether legs are sent',
      async () => (await sql<{ sent: boolean }>`select ${hasSentLegs('chiado')} as sent`.execute(settling.ledger)).rows[0]?.sent,
      true,
    ],
    [
      'whether there are new outcomes',
      async () => {
        const outcomesOfBlocks = indexedOutcomesBehind('chiado', BigInt(2 * sentLegs));
        const hasNew = hasUnrecordedOutcomes({ chain: 'chiado', tokens: settling.network.tokens, outcomes: outcomesOfBlocks });
        return (await readNews(settling.ledger, 'chiado', { hasNew, facts: {} }))?.hasNew;
      },
      true,
    ],
    [
      'whether the index is complete',
      async () =>
        (await sql<{ complete: boolean }>`select ${hasNewestRows('chiado', newestSettledLeg)} as complete`.execute(settling.ledger)).rows[0]
          ?.complete,
      true,
    ],
    [
      'open legs that are carried out',
      async () => (await sql`select * from ${openLegsCarriedOut('chiado', outcomes)} c`.execute(settling.ledger)).rows.length,
      sentLegs,
    ],
  ])('to find %s', async (_, query, expected) => {
    let found: unknown;
    expect(await rowsRead(async () => (found = await query()))).toBeLessThan(settledLegs / 2);
    expect(found).toBe(expected);
  });
});
