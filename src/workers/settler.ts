import type { Pool } from 'pg';
import { settleLegs } from '../ledger/orders/lifecycle.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { Head } from '../chain/head.ts';
import { isMissingTable, readProgress } from '../indexed/progress.ts';
import { channelOf, tablesSchema, viewsSchema } from '../indexed/schema-names.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import { listen } from '../platform/listen.ts';

export interface SettlerDeps {
  ledger: Ledger;
  pool: Pool;
  rpc: Rpc;
  network: NetworkSettings;
  head: Head;
  log: Log;
}

/** Legs ended in one database transaction; keeps locks short. */
const largestStep = 2_000;

/** Poll behind Ponder's notification. */
const pollIntervalMs = 1_000;

interface OutcomeRow {
  legId: string;
  txHash: string;
  blockNumber: string;
  refused: string | null;
  agrees: boolean;
}

/**
 * Ends legs by what the indexer has seen and the confirmation policy covers: the only place that moves a leg on chain to
 * done. It looks for the outcomes of open legs, not for new rows, because Ponder's rows vanish for seconds after its restart.
 */
export function startSettler(deps: SettlerDeps): Loop {
  const { pool, network, head, log } = deps;
  return startLoop({
    name: `settler ${network.chain}`,
    intervalMs: pollIntervalMs,
    wokenBy: [(wake) => listen(pool, channelOf(tablesSchema(network)), wake, log), (wake) => head.onBlock(wake)],
    log,
    turn: () => settle(deps),
  });
}

async function settle({ ledger, pool, rpc, network, log }: SettlerDeps): Promise<void> {
  const progress = await readProgress(pool, network.chain);
  if (!progress) return;
  const confirmed = await confirmedBlock(rpc, network, progress.block);
  for (;;) {
    const rows = await readOutcomes(pool, network, confirmed);
    const agreeing = rows.filter((row) => row.agrees);
    for (const row of rows.filter(({ agrees }) => !agrees)) {
      log.fatal(
        { legId: row.legId, txHash: row.txHash },
        'the chain moved another amount or account than the leg says: the leg stays open, look into it',
      );
    }
    if (agreeing.length === 0) return;
    const settled = await settleLegs(
      ledger,
      agreeing.map((row) => ({ ...row, blockNumber: BigInt(row.blockNumber) })),
    );
    log.info({ legs: agreeing.length, orders: settled.length, block: confirmed.toString() }, 'legs settled');
    if (rows.length < largestStep) return;
  }
}

/** The newest block that the confirmation policy covers, as far as it is indexed. */
async function confirmedBlock(rpc: Rpc, { confirmations }: NetworkSettings, indexed: bigint): Promise<bigint> {
  if (typeof confirmations === 'number') return indexed - BigInt(confirmations);
  const { number } = await rpc.getBlock({ blockTag: confirmations });
  return number < indexed ? number : indexed;
}

async function readOutcomes(pool: Pool, network: NetworkSettings, confirmed: bigint): Promise<OutcomeRow[]> {
  const tokens = JSON.stringify(network.tokens);
  try {
    const { rows } = await pool.query<OutcomeRow>(
      `select l.id as "legId", o.tx_hash as "txHash", o.block_number as "blockNumber", o.refused,
         o.amount = l.amount * 1e16::numeric and o.account = l.account and o.token = $2::jsonb ->> l.currency as agrees
       from legs l join "${viewsSchema(network.chain)}".outcome o on o.order_id = l.order_id::text and o.kind = l.kind
       where l.chain = $1 and l.state = 'sent' and o.block_number <= $3 and o.block_number > coalesce(l.after_block, -1)
       limit ${largestStep}`,
      [network.chain, tokens, confirmed.toString()],
    );
    return rows;
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}
