import type { Pool } from 'pg';
import type { Head } from '../../chain/head.ts';
import { createMarketReader, type MarketReader } from '../../chain/market-reader.ts';
import { laneLock } from '../../ledger/advisory-locks.ts';
import { releaseClaims } from '../../ledger/lanes/legs.ts';
import { type AdvisoryLock, tryAdvisoryLock } from '../../platform/postgres/advisory-lock.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { createNonces, type Nonces } from './nonces.ts';
import { fillGaps } from './fill-gaps.ts';
import { createLegPossibility } from './leg-possibility.ts';
import { createLaneSender, type LaneSender } from './sender.ts';
import { type Alarms, createPartAlarms } from '../alarms.ts';
import { createTracker, type Tracker, type TrackerDeps } from './tracker.ts';
import { watchSigner } from './watched-signer.ts';

/** Queues and blocks wake a lane. The sweep finds what a lost wake-up has left, and what becomes due by the clock. */
const defaultSweepMs = 5_000;

/** What a lane needs. */
export interface LaneDeps extends Omit<TrackerDeps, 'market'> {
  /** Direct connections to the database: the lane holds its lock on one. */
  directPool: Pool;
  head: Head;
  alarms: Alarms;
  /** That of the network's lanes; by default one of its own. */
  market?: MarketReader | undefined;
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
  /** Longest sleep of a lane; by default {@link defaultSweepMs}. */
  sweepIntervalMs?: number | undefined;
}

/** One signer key on one network: it owns its nonces, and sends whatever is ready. */
export interface Lane {
  /**
   * Takes the lane if it is free, tracks its transactions when there is a new block, and sends what is ready. After an error the lane is
   * dropped, because what was under way may or may not be recorded: the next turn begins again from the ledger. Returns the milliseconds after which
   * the next turn is due, when something waits for it.
   */
  turn(): Promise<number | undefined>;
  /** Gives the lane up, for another worker. */
  drop(): Promise<void>;
  /** What the operator sees of it. */
  facts(): LaneFacts;
}

/** A lane that takes its turns by itself. */
export interface RunningLane extends Loop, Pick<Lane, 'facts'> {}

/** What the operator sees of a lane. */
export interface LaneFacts {
  /** The signer's address; its reference while it was never reached. */
  signer: string;
  /** Whether this worker holds its lock, and so sends. */
  held: boolean;
  /** Transactions that are in no block yet. */
  inFlight: number;
  /** Free nonces below one that is in use. */
  nonceGaps: number;
  /** Why its signer does not sign; null while it does. */
  outage: string | null;
}

interface HeldLane {
  lock: AdvisoryLock;
  nonces: Nonces;
  sender: LaneSender;
  tracker: Tracker;
  /** Whether the chain's count of the signer's transactions is known, so that nonces can be chosen. */
  knowsNonces: boolean;
}

/**
 * Starts a lane. It works while it holds its lock in PostgreSQL: a second copy of the worker waits as a hot spare.
 * A free lane takes everything that is ready into one transaction, so that an order goes out at once when there are few. When there are many, a batch
 * that is not full waits for more, without missing the coming block ({@link createBatchPace}). `onHeldChange` is called when it has taken or lost the lock.
 */
export function startLane(deps: LaneDeps, onHeldChange?: () => void): RunningLane {
  const { network, signer, head, log } = deps;
  const lane = createLane(deps, onHeldChange);
  const loop = startLoop({
    name: laneLock(network.chain, signer.address),
    intervalMs: deps.sweepIntervalMs ?? defaultSweepMs,
    wokenBy: [(wake) => head.onBlock(wake)],
    log,
    turn: () => lane.turn(),
  });
  return {
    ...loop,
    facts: () => lane.facts(),
    async close() {
      await loop.close();
      await lane.drop();
    },
  };
}

/** Creates a lane that takes a turn whenever its caller lets it. */
export function createLane(laneDeps: LaneDeps, onHeldChange: () => void = () => {}): Lane {
  const signer = watchSigner(laneDeps.signer, laneDeps.log);
  const alarms = createPartAlarms(laneDeps.alarms);
  const market = laneDeps.market ?? createMarketReader(laneDeps);
  const deps = { ...laneDeps, signer, alarms, market, legPossibility: createLegPossibility(laneDeps) };
  const { ledger, directPool, network, head, log } = deps;
  let held: HeldLane | undefined;

  const turn = async (): Promise<number | undefined> => {
    if (held?.lock.lost.aborted) {
      log.warn({ signer: signer.address }, 'the lane lost its lock');
      await drop();
    }
    const block = head.number();
    if (block === undefined) return undefined;
    if (!held) {
      held = await takeLane();
      // Another worker holds the lane, and knows what is wrong with it.
      if (!held) {
        alarms.clearAll();
        return undefined;
      }
      onHeldChange();
    }
    if (held.tracker.isDue(block)) held.knowsNonces = await held.tracker.track(block);
    if (!held.knowsNonces) return undefined;
    const dueMs = await held.sender.sendReady(block);
    await fillGaps(deps, held.nonces, block);
    return dueMs;
  };

  const takeLane = async (): Promise<HeldLane | undefined> => {
    const lock = await tryAdvisoryLock(directPool, laneLock(network.chain, signer.address));
    if (!lock) return undefined;
    try {
      await releaseClaims(ledger, network.chain, signer.address);
      const nonces = createNonces();
      log.info({ signer: signer.address }, 'the lane is held');
      return { lock, nonces, sender: createLaneSender(deps, nonces), tracker: createTracker(deps, nonces), knowsNonces: false };
    } catch (error) {
      await lock.release();
      throw error;
    }
  };

  const drop = async () => {
    const lock = held?.lock;
    held = undefined;
    onHeldChange();
    await lock?.release();
  };

  return {
    drop,
    turn: async () => {
      try {
        return await turn();
      } catch (error) {
        await drop();
        throw error;
      }
    },
    facts: () => ({
      signer: signer.address,
      held: held !== undefined,
      inFlight: held?.nonces.inFlight() ?? 0,
      nonceGaps: held?.nonces.gaps().length ?? 0,
      outage: signer.outage() ?? null,
    }),
  };
}
