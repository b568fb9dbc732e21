import { decodeEventLog, type Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { viewsSchema } from '../../../src/indexed/schema-names.ts';
import type { FaultCounts } from '../faults.ts';
import { ancestry, type Block } from '../node/chain.ts';
import type { Random } from '../random.ts';
import type { SimulatedDatabase } from './simulated-database.ts';
import { refusalText } from '../../../src/indexed/refusals.ts';

/** Writes what Ponder would: rows of the outcomes up to its own newest block, and how far it is. */
export interface SimulatedIndexer {
  /** Brings the rows to the canonical chain that ends with `tip`, as far as the indexer is not behind. */
  follow(tick: number, tip: Block): Promise<void>;
  reset(): Promise<void>;
}

/** How the indexer fails in a run. Ticks as in `FaultWindow`. */
export interface IndexerPlan {
  /** Blocks that it is behind the tip. */
  lag: bigint;
  /** Ticks at which it begins anew: for a few ticks the newest rows are gone. */
  restartsAt: readonly number[];
  /** Ticks at which it shows a row for a burn or an issue that is on no chain. */
  falseRowsAt: readonly number[];
  /** Legs about which it lies: ids of orders with what they would get. */
  victims: () => readonly OutcomeRow[];
}

/** A row of `outcome` (indexer/ponder.schema.ts). */
export interface OutcomeRow {
  orderId: string;
  kind: 'issue' | 'redeem';
  txHash: Hex;
  logIndex: number;
  token: string;
  account: string;
  amount: bigint;
  sequence: bigint | null;
  messageHash: string | null;
  refused: string | null;
  blockNumber: bigint;
}

const schema = viewsSchema('chiado');

/** Ticks for which the newest rows are missing after a restart. */
const restartTicks = 4;

const ddl = `
  create schema ${schema};
  create table ${schema}.outcome (order_id text not null, kind text not null, tx_hash text not null, log_index integer not null,
    token text not null, account text not null, amount numeric(78) not null, sequence numeric(78), message_hash text, refused text,
    block_number numeric(78) not null, primary key (order_id, kind, tx_hash, log_index));
  create table ${schema}._ponder_meta (key text primary key, value jsonb not null);
  create table ${schema}._ponder_checkpoint (latest_checkpoint text not null, finalized_checkpoint text not null);
  alter table ${schema}.outcome set (autovacuum_enabled = false);`;

/** Creates the tables of the indexer in a simulated database. */
export async function createIndexerTables(database: SimulatedDatabase): Promise<void> {
  await database.query(ddl);
}

/** Creates an indexer over tables that exist. */
export function createSimulatedIndexer(
  database: SimulatedDatabase,
  plan: IndexerPlan,
  random: Random,
  faults: FaultCounts,
): SimulatedIndexer {
  let indexed: Block | undefined;

  const replaceRows = async (fromBlock: bigint, rows: readonly OutcomeRow[], block: bigint, isReady: boolean) => {
    const json = JSON.stringify(rows.map(toRow)).replaceAll("'", "''");
    await database.query(`
      delete from ${schema}.outcome where block_number >= ${fromBlock};
      insert into ${schema}.outcome select * from jsonb_populate_recordset(null::${schema}.outcome, '${json}'::jsonb);
      update ${schema}._ponder_meta set value = '{"is_ready": ${isReady ? 1 : 0}}';
      update ${schema}._ponder_checkpoint set latest_checkpoint = '${checkpointOf(block)}', finalized_checkpoint = '${checkpointOf(block > 40n ? block - 40n : 0n)}'`);
  };

  return {
    async follow(tick, tip) {
      const restart = plan.restartsAt.find((at) => at <= tick && tick < at + restartTicks);
      let target = tip;
      for (let behind = plan.lag; behind > 0n && target.parent; behind -= 1n) target = target.parent;
      if (restart !== undefined) {
        // Ponder forgets what is not final and reads it again; its checkpoint stays stale meanwhile.
        if (restart === tick) {
          faults.note('indexer: newest rows vanish');
          await replaceRows(target.number > 8n ? target.number - 8n : 0n, [], indexed?.number ?? 0n, false);
          indexed = undefined;
        }
        return;
      }
      if (target === indexed) return;
      const isKnown = new Set<Block>(indexed ? ancestry(indexed) : []);
      const rows: OutcomeRow[] = [];
      let from = target.number + 1n;
      for (const block of ancestry(target)) {
        if (isKnown.has(block)) break;
        from = block.number;
        rows.push(...rowsOf(block));
      }
      if (plan.falseRowsAt.includes(tick)) {
        const victim = plan.victims()[0];
        if (victim) {
          faults.note('indexer: false row');
          rows.push({ ...victim, blockNumber: target.number, txHash: `0x${'fa'.repeat(31)}${tick.toString(16).padStart(2, '0')}` });
        }
      }
      indexed = target;
      await replaceRows(from, rows, target.number, true);
    },
    async reset() {
      indexed = undefined;
      await database.query(`
        truncate ${schema}.outcome, ${schema}._ponder_meta, ${schema}._ponder_checkpoint;
        insert into ${schema}._ponder_meta values ('app', '{"is_ready": 0}');
        insert into ${schema}._ponder_checkpoint values ('${checkpointOf(0n)}', '${checkpointOf(0n)}')`);
      void random;
    },
  };
}

/** Ponder's checkpoint is a number of 75 digits, of which the 27th to the 42nd are the block's. */
function checkpointOf(block: bigint): string {
  return `${'0'.repeat(26)}${String(block).padStart(16, '0')}${'0'.repeat(33)}`;
}

/** The outcomes in a block, as indexer/src/index.ts writes them. */
export function rowsOf(block: Block): OutcomeRow[] {
  let logIndex = -1;
  const rows: OutcomeRow[] = [];
  for (const { transaction, events } of block.transactions)
    for (const { address, topics, data } of events) {
      logIndex += 1;
      const { eventName, args } = decodeEventLog({ abi: eMoneyTokenAbi, topics: topics as [Hex, ...Hex[]], data });
      const common = { txHash: transaction.hash, logIndex, token: address, blockNumber: block.number };
      if (eventName === 'Issued' || eventName === 'IssueRefused') {
        const refused = eventName === 'IssueRefused' ? refusalText('issue', args.reason) : null;
        const { orderId, account, amount, sequence } = args;
        rows.push({
          ...common,
          kind: 'issue',
          orderId: uuid(orderId),
          account: account.toLowerCase(),
          amount,
          sequence,
          messageHash: null,
          refused,
        });
      } else if (eventName === 'Redeemed' || eventName === 'RedemptionRefused') {
        const refused = eventName === 'RedemptionRefused' ? refusalText('redeem', args.reason) : null;
        const { orderId, account, amount, messageHash } = args;
        rows.push({
          ...common,
          kind: 'redeem',
          orderId: uuid(orderId),
          account: account.toLowerCase(),
          amount,
          sequence: null,
          messageHash,
          refused,
        });
      }
    }
  return rows;
}

function uuid(bytes: Hex): string {
  return bytes.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function toRow(row: OutcomeRow): Record<string, unknown> {
  return {
    order_id: row.orderId,
    kind: row.kind,
    tx_hash: row.txHash,
    log_index: row.logIndex,
    token: row.token,
    account: row.account,
    amount: row.amount.toString(),
    sequence: row.sequence?.toString() ?? null,
    message_hash: row.messageHash,
    refused: row.refused,
    block_number: row.blockNumber.toString(),
  };
}
