import type { Pool } from 'pg';
import type { Address } from 'viem';
import { outcomesOf } from '../../../src/chain/token/outcome-logs.ts';
import { refusalText } from '../../../src/indexed/refusals.ts';
import { viewsSchema } from '../../../src/indexed/schema-names.ts';
import type { Chain } from '../../../src/platform/chains.ts';
import type { LocalChain } from './local-chain.ts';

/** A row that a test writes into the index. */
export interface IndexedRow {
  kind: 'issue' | 'redeem';
  txHash: string;
  blockNumber: bigint;
  token: string;
  orderId: string;
  account: string;
  amount: bigint;
  sequence?: bigint | null;
  messageHash?: string | null;
  refused?: string | null;
}

/** Tables as Ponder makes them, which a test fills: at once and with whatever it likes. */
export interface TestIndex {
  /** Indexes all blocks that are new, as Ponder would. */
  follow(): Promise<void>;
  insert(row: IndexedRow): Promise<void>;
  /** Says that the index has reached this block. */
  reach(block: bigint): Promise<void>;
  /** Writes a heartbeat, as a Ponder that lives does. */
  beat(): Promise<void>;
}

export async function createTestIndex(pool: Pool, chain: Chain, rpc: LocalChain, tokens: readonly Address[]): Promise<TestIndex> {
  const schema = `"${viewsSchema(chain)}"`;
  await pool.query(`
    create schema ${schema};
    create table ${schema}.outcome (kind text, tx_hash text, log_index integer, block_number numeric(78), token text, order_id text, account text,
      amount numeric(78), sequence numeric(78), message_hash text, refused text);
    create index on ${schema}.outcome (token, sequence);
    create index on ${schema}.outcome (message_hash, account, token);
    create index on ${schema}.outcome (block_number);
    create table ${schema}.balance (token text, account text, amount numeric(78), primary key (token, account));
    create table ${schema}.supply (token text primary key, amount numeric(78), issued numeric(78), redeemed numeric(78));
    create table ${schema}._ponder_meta (key text, value jsonb);
    create table ${schema}._ponder_checkpoint (latest_checkpoint text, finalized_checkpoint text);
    insert into ${schema}._ponder_meta values ('app', '{"is_ready": "1"}');
    insert into ${schema}._ponder_checkpoint values (repeat('0', 75), repeat('0', 75))`);
  let next = 0n;
  let beats = 0;
  const reach = async (block: bigint) => {
    await pool.query(
      `update ${schema}._ponder_checkpoint set latest_checkpoint = repeat('0', 26) || lpad($1, 16, '0') || repeat('0', 33)`,
      [block.toString()],
    );
  };
  const insert = async (row: IndexedRow) => {
    const values = [row.kind, row.txHash, row.blockNumber, row.token, row.orderId, row.account, row.amount];
    await pool.query(
      `insert into ${schema}.outcome (kind, tx_hash, block_number, token, order_id, account, amount, sequence, message_hash, refused)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [...values, row.sequence ?? null, row.messageHash ?? null, row.refused ?? null],
    );
  };
  const addToSums = async ({ kind, token, account, amount }: Pick<IndexedRow, 'kind' | 'token' | 'account' | 'amount'>) => {
    const [issued, redeemed] = kind === 'issue' ? [amount, 0n] : [0n, amount];
    await pool.query(
      `insert into ${schema}.balance as b values ($1, $2, $3) on conflict (token, account) do update set amount = b.amount + excluded.amount`,
      [token, account, issued - redeemed],
    );
    await pool.query(
      `insert into ${schema}.supply as s values ($1, $2, $3, $4) on conflict (token) do update set
       amount = s.amount + excluded.amount, issued = s.issued + excluded.issued, redeemed = s.redeemed + excluded.redeemed`,
      [token, issued - redeemed, issued, redeemed],
    );
  };
  return {
    insert,
    reach,
    async beat() {
      beats += 1;
      await pool.query(`update ${schema}._ponder_meta set value = jsonb_set(value, '{heartbeat_at}', $1)`, [String(beats)]);
    },
    async follow() {
      const head = await rpc.getBlockNumber({ cacheTime: 0 });
      if (next > head) return;
      const logs = await rpc.getLogs({ address: [...tokens], fromBlock: next, toBlock: head });
      for (const log of logs)
        for (const { refusal, ...outcome } of outcomesOf([log])) {
          const refused = refusal === null ? null : refusalText(outcome.kind, refusal);
          if (refused === null) await addToSums(outcome);
          await insert({ ...outcome, refused, txHash: log.transactionHash, blockNumber: log.blockNumber });
        }
      next = head + 1n;
      await reach(head);
    },
  };
}
