import type { Pool } from 'pg';
import type { Head } from '../../chain/head.ts';
import { createMarketReader, type MarketReader } from '../../chain/market-reader.ts';
import { laneLock } from '../../ledger/advisory-locks.ts';
import { releaseClaims } from '../../ledger/lanes/legs.ts';
import { type AdvisoryLock, tryAdvisoryLock } from '../../platform/postgres/advisory-lock.ts';
import { type Running, startLoop } from '../../platform/loop.ts';
import { createNonces, type Nonces } from './nonces.ts';
import { fillGaps } from './fill-gaps.ts';
import { createLegPossibility } from './leg-possibility.ts';
import { createLaneSender, type LaneSender } from './sender.ts';
import { type Alarms, createPartAlarms } from '../alarms.ts';
import { createTracker, type Tracker, type TrackerDeps } from './tracker.ts';
import { watchSigner } from './watched-signer.ts';

/** Between two looks for what is ready, where nothing asks for one sooner: they find what a lost wake-up has left, and what becomes due by the clock. */
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
  /** Longest time between two looks; by default {@link defaultSweepMs}. */
  sweepIntervalMs?: number | undefined;
  /** Called when more may be ready than the lane is about to send: another lane may take it. */
  onLeft?: (() => void) | undefined;
}

/** One signer key on one network: it owns its nonces, and sends whatever is ready. */
export interface Lane {
  /**
   * Takes the lane if it is free, tracks its transactions when there is a new block, and, if it `looks`, sends what is ready. After an error the lane is
   * dropped, because what was under way may or may not be recorded: the next turn begins again from the ledger. Returns the milliseconds after which
   * the next look is due, when something waits for it.
   */
  turn(looks?: boolean): Promise<number | undefined>;
  /** Whether the last look left something to the next block, or there was none yet. */
  hasLeft(): boolean;
  /** Gives the lane up, for another worker. */
  drop(): Promise<void>;
  /** What the operator sees of it. */
  facts(): LaneFacts;
}

/** A lane that takes its turns by itself. */
export interface RunningLane extends Running, Pick<Lane, 'facts'> {
  /** Has it look for what is ready. */
  wake(): void;
  /** Whether it would look at once when it is woken, and probably send what it finds. */
  isFree(): boolean;
  /** Whether its last look left something that it could not send. */
  hasLeft(): boolean;
}

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
 * that is not full waits for more, without missing the coming block ({@link createBatchPace}). Each block has it track its transactions, but not look for what is
 * ready, unless its last look left something. `onHeldChange` is called when it has taken or lost the lock.
 */
export function startLane(deps: LaneDeps, onHeldChange?: () => void): RunningLane {
  const { network, signer, head, log, sweepIntervalMs = defaultSweepMs, now = () => performance.now() } = deps;
  const lane = createLane(deps, onHeldChange);
  let isInTurn = false;
  let lookAt = -Infinity;

  async function turn(): Promise<number> {
    const looks = now() >= lookAt || lane.hasLeft();
    // A wake-up from here on asks for another look.
    if (looks) lookAt = Infinity;
    isInTurn = true;
    try {
      const dueMs = await lane.turn(looks);
      if (looks) lookAt = Math.min(lookAt, now() + Math.min(dueMs ?? sweepIntervalMs, sweepIntervalMs));
    } catch (error) {
      lookAt = -Infinity;
      throw error;
    } finally {
      isInTurn = false;
    }
    return Math.max(0, lookAt - now());
  }

  const loop = startLoop({
    name: laneLock(network.chain, signer.address),
    intervalMs: sweepIntervalMs,
    wokenBy: [(wake) => head.onBlock(wake)],
    log,
    turn,
  });
  return {
    facts: () => lane.facts(),
    hasLeft: () => lane.hasLeft(),
    isFree: () => !isInTurn && lane.facts().held && !lane.hasLeft(),
    wake() {
      lookAt = -Infinity;
      loop.wake();
    },
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

  const turn = async (looks: boolean): Promise<number | undefined> => {
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
    const dueMs = looks ? await held.sender.sendReady(block) : undefined;
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
    hasLeft: () => held?.sender.hasLeft() ?? true,
    turn: async (looks = true) => {
      try {
        return await turn(looks);
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
