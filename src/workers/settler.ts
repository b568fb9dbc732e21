import type { Pool } from 'pg';
import { settleLegs } from '../ledger/orders/lifecycle.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { Head } from '../chain/head.ts';
import { indexedOutcomes } from '../indexed/outcomes.ts';
import { readProgress } from '../indexed/progress.ts';
import { readIndexed } from '../indexed/read-indexed.ts';
import { channelOf, tablesSchema } from '../indexed/schema-names.ts';
import { findDecidedLegs } from '../ledger/lanes/decided-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../platform/log.ts';
import type { Alarms } from './alarms.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import { listen } from '../platform/listen.ts';

/** What the settler of a network needs. */
export interface SettlerDeps {
  ledger: Ledger;
  pool: Pool;
  rpc: Rpc;
  network: NetworkSettings;
  head: Head;
  log: Log;
  alarms: Alarms;
}

/** Legs settled in one database transaction: few enough that its locks are short. */
const legsAtOnce = 2_000;

/** Between two polls, in case Ponder's notification is missed. */
const pollIntervalMs = 1_000;

/**
 * Applies indexed outcomes that the confirmation policy covers to the legs they are about. Nothing else ends a leg on chain. It looks
 * for the outcomes of sent legs, not for new rows, because Ponder's rows vanish for seconds after its restart.
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

async function settle({ ledger, rpc, network, log }: SettlerDeps): Promise<void> {
  const { chain, tokens } = network;
  const progress = await readProgress(ledger, chain);
  if (!progress) return;
  const upToBlock = await confirmedBlock(rpc, network, progress.block);
  const outcomes = indexedOutcomes(chain);
  for (;;) {
    const decided = await readIndexed(() => findDecidedLegs(ledger, { chain, tokens, outcomes, upToBlock, limit: legsAtOnce }));
    if (decided === undefined) return;
    const agreeing = decided.filter(({ agrees }) => agrees);
    for (const { legId, txHash, agrees } of decided)
      if (!agrees)
        log.fatal(
          { legId, txHash },
          'the chain moved another amount, token or account than the leg says: the leg stays open, look into it',
        );
    if (agreeing.length === 0) return;
    const settled = await settleLegs(ledger, agreeing);
    log.info({ legs: agreeing.length, orders: settled.length, block: upToBlock.toString() }, 'legs settled');
    if (decided.length < legsAtOnce) return;
  }
}

/** The newest block that the confirmation policy covers, as far as it is indexed. */
async function confirmedBlock(rpc: Rpc, { confirmations }: NetworkSettings, indexed: bigint): Promise<bigint> {
  if (typeof confirmations === 'number') return indexed - BigInt(confirmations);
  const { number } = await rpc.getBlock({ blockTag: confirmations });
  return number < indexed ? number : indexed;
}
