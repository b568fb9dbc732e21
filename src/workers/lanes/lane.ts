import type { Pool } from 'pg';
import type { Head } from '../../chain/head.ts';
import { laneLock } from '../../ledger/advisory-locks.ts';
import { lastNonce } from '../../ledger/lanes/transactions.ts';
import { releaseClaims } from '../../ledger/lanes/legs.ts';
import { type AdvisoryLock, tryAdvisoryLock } from '../../platform/advisory-lock.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { createLaneSender, type LaneSender } from './sender.ts';
import { type TrackerDeps, trackTransactions } from './tracker.ts';
import { watchSigner } from './watched-signer.ts';

/** What a lane needs. */
export interface LaneDeps extends TrackerDeps {
  pool: Pool;
  head: Head;
  /** Longest sleep of a lane; by default a second, or the time of a block when that is shorter. */
  sweepIntervalMs?: number | undefined;
}

/** One signer key on one network: it owns its nonces, and sends whatever is ready. */
export interface Lane extends Loop {
  /** What the operator sees of it. */
  facts(): LaneFacts;
}

/** What the operator sees of a lane. */
export interface LaneFacts {
  /** The signer's address; its reference while it was never reached. */
  signer: string;
  /** Whether this worker holds its lock, and so sends. */
  held: boolean;
  /** Transactions that are in no block yet. */
  inFlight: number;
  /** Why its signer does not sign; null while it does. */
  outage: string | null;
}

interface HeldLane {
  lock: AdvisoryLock;
  sender: LaneSender;
  trackedHead: bigint;
}

/**
 * Starts a lane. It works while it holds its lock in PostgreSQL: a second copy of the worker waits as a hot spare.
 * A free lane takes everything that is ready into one transaction, so that an order goes out at once when there are few
 * and batches fill by themselves when there are many. `onHeldChange` is called when it has taken or lost the lock.
 */
export function startLane(laneDeps: LaneDeps, onHeldChange: () => void = () => {}): Lane {
  const signer = watchSigner(laneDeps.signer, laneDeps.log);
  const deps = { ...laneDeps, signer };
  const { ledger, pool, network, head, log } = deps;
  const name = laneLock(network.chain, signer.address);
  let held: HeldLane | undefined;

  const turn = async () => {
    if (held?.lock.lost.aborted) {
      log.warn({ signer: signer.address }, 'the lane lost its lock');
      await dropLane();
    }
    const block = head.number();
    if (block === undefined) return;
    if (!held) {
      held = await takeLane();
      if (!held) return;
      onHeldChange();
    }
    if (block > held.trackedHead) {
      held.sender.inFlight = await trackTransactions(deps, block, held.trackedHead < 0n);
      held.trackedHead = block;
    }
    await held.sender.sendReady(block);
  };

  const takeLane = async (): Promise<HeldLane | undefined> => {
    const lock = await tryAdvisoryLock(pool, name);
    if (!lock) return undefined;
    try {
      await releaseClaims(ledger, network.chain, signer.address);
      const sender = createLaneSender(deps, await nextNonce(deps));
      log.info({ signer: signer.address, nonce: sender.nonce.toString() }, 'the lane is held');
      return { lock, sender, trackedHead: -1n };
    } catch (error) {
      await lock.release();
      throw error;
    }
  };

  const dropLane = async () => {
    const lock = held?.lock;
    held = undefined;
    onHeldChange();
    await lock?.release();
  };

  const loop = startLoop({
    name,
    intervalMs: deps.sweepIntervalMs ?? Math.min(network.blockTimeSeconds * 1000, 1_000),
    wokenBy: [(wake) => head.onBlock(wake)],
    log,
    turn: async () => {
      try {
        await turn();
      } catch (error) {
        // What was under way may or may not be recorded: begin again from the ledger.
        await dropLane();
        throw error;
      }
    },
  });
  return {
    wake: () => loop.wake(),
    facts: () => ({
      signer: signer.address,
      held: held !== undefined,
      inFlight: held?.sender.inFlight ?? 0,
      outage: signer.outage() ?? null,
    }),
    async close() {
      await loop.close();
      await dropLane();
    },
  };
}

/** The first nonce that neither this ledger nor the chain knows as used. */
async function nextNonce({ ledger, rpc, signer, network, log }: LaneDeps): Promise<bigint> {
  const last = await lastNonce(ledger, network.chain, signer.address);
  const recorded = last === undefined ? 0n : last + 1n;
  const used = BigInt(await rpc.getTransactionCount({ address: signer.address, blockTag: 'latest' }));
  if (last !== undefined && used > recorded) {
    log.warn(
      { signer: signer.address, used: used.toString(), recorded: recorded.toString() },
      'the key was used outside of this ledger: give it a key of its own',
    );
  }
  return used > recorded ? used : recorded;
}
