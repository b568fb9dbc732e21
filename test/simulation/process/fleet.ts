import type { Log } from '../../../src/platform/log.ts';
import type { FaultCounts } from '../faults.ts';
import type { SimulatedDatabase } from '../ledger/simulated-database.ts';
import type { SimulatedEndpoint } from '../node/endpoint.ts';
import type { Plan } from '../plan.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { type SimulatedWorker, startSimulatedWorker } from './chain-worker.ts';
import { startProcess } from './mortal-process.ts';

/** The workers of a network: one, and in some runs a spare. Whoever dies is started again after some ticks. */
export interface Fleet {
  /** Lets every worker that lives do what it does in the time of a block. */
  live(tick: number): Promise<void>;
  /** Writes the heartbeats. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

interface FleetOptions {
  database: SimulatedDatabase;
  world: Pick<World, 'network' | 'signerKeys'>;
  endpoints: readonly SimulatedEndpoint[];
  plan: Plan;
  random: Random;
  faults: FaultCounts;
  log: Log;
  now: () => number;
  /** Writes a line of the run's trace. */
  say: (line: string) => void;
}

/** A place for a worker, one life after the other. */
interface Berth {
  name: string;
  worker: SimulatedWorker | undefined;
  lives: number;
  startAt: number;
}

/** Polls of the head in a tick, as in production (src/workers/run-chain-worker.ts). */
const pollsPerTick = 5;

/** Prepares the workers; they start with the first tick. */
export function createFleet({ database, world, endpoints, plan, random, faults, log, now, say }: FleetOptions): Fleet {
  const berths: Berth[] = (plan.hasSpare ? ['worker', 'spare'] : ['worker']).map((name, index) => ({
    name,
    worker: undefined,
    lives: 0,
    startAt: index === 0 ? 0 : random.integer('spare starts', 0, plan.stormTicks - 1),
  }));
  let tick = 0;
  const isStorm = () => tick < plan.stormTicks;

  const start = (berth: Berth): SimulatedWorker => {
    const death = isStorm() && berth.name === 'worker' ? plan.deaths[berth.lives] : undefined;
    berth.lives += 1;
    const instance = `${berth.name} ${berth.lives}`;
    say(`${instance} starts`);
    return startSimulatedWorker({
      ...world,
      process: startProcess(database, death, faults),
      instance,
      endpoints,
      signs: () => !isSilent(),
      now,
      log,
      onError: (part, error) => say(`${part} of ${instance} failed: ${textOf(error)}`),
    });
  };

  const isSilent = () => {
    const silent = plan.silentSigners.from <= tick && tick < plan.silentSigners.to;
    if (silent) faults.note('signer: no answer');
    return silent;
  };

  const liveOf = async (berth: Berth) => {
    if (!berth.worker && tick >= berth.startAt) berth.worker = start(berth);
    const { worker } = berth;
    if (!worker) return;
    for (let poll = 0; poll < pollsPerTick; poll += 1) await worker.poll();
    await worker.turn();
    if (worker.process.isAlive()) return;
    say(`${berth.name} died`);
    await worker.process.settleConnections();
    berth.worker = undefined;
    berth.startAt = tick + random.integer(`rest of ${berth.name} after ${berth.lives}`, 1, 4);
  };

  const cut = async (berth: Berth) => {
    const draw = random.of(`cut ${berth.name} ${tick}`);
    if (!berth.worker || !isStorm() || !draw.chance('happens', plan.cutConnection)) return;
    if (await berth.worker.process.cutConnection((count) => draw.integer('connection', 0, count - 1)))
      faults.note('database: connection cut');
  };

  return {
    async live(newTick) {
      tick = newTick;
      for (const berth of berths) {
        await cut(berth);
        await liveOf(berth);
      }
    },
    async beat() {
      for (const { worker } of berths) await worker?.beat();
    },
    async stop() {
      for (const { worker } of berths) await worker?.process.kill();
    },
  };
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
