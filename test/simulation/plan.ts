import type { ConfirmationPolicy } from '../../src/platform/chain-table.ts';
import type { FaultWindow } from './node/endpoint.ts';
import { type EndpointFault, endpointFaults } from './node/endpoint-faults.ts';
import type { Death } from './process/mortal-process.ts';
import type { Random } from './random.ts';

/** All that a seed decides before its run begins. A tick is the time of a block. */
export interface Plan {
  /** The faults end with this tick. */
  stormTicks: number;
  confirmations: ConfirmationPolicy;
  maxBatch: number;
  signers: number;
  /** Faults of each endpoint. */
  endpoints: FaultWindow[][];
  orders: number;
  deaths: Death[];
  /** Probability of each in a tick of the storm. */
  reorganisation: number;
  stall: number;
  outsideTransaction: number;
  stolenKey: number;
  administration: number;
  /** A holder moves all its tokens away, perhaps from under an open redemption. */
  emptiedAccount: number;
  /** Ticks in which the chain is full and its base fee rises. */
  spike: { from: number; to: number };
  /** Ticks in which the service that keeps the keys does not answer. */
  silentSigners: { from: number; to: number };
  /** Wei that each lane has for gas until the storm is over. */
  gasMoney: bigint;
  /** Whether a second worker waits for the lanes. */
  hasSpare: boolean;
  /** Calldata beyond which the sequencer refuses a transaction for good, also after the storm. */
  maxCalldata: number | undefined;
  /** Probability that a connection of a worker is cut in a tick. */
  cutConnection: number;
  clockSteps: { tick: number; milliseconds: number }[];
  indexer: { lag: bigint; restartsAt: number[]; falseRowsAt: number[] };
  bankRefuses: number;
}

const ether = 10n ** 18n;

/** Draws the plan of a run. */
export function drawPlan(random: Random): Plan {
  const stormTicks = random.integer('storm', 20, 45);
  const some = <T>(name: string, most: number, make: (random: Random) => T): T[] =>
    Array.from({ length: random.integer(name, 0, most) }, (_, index) => make(random.of(`${name} ${index}`)));
  const sometimes = (name: string, probability: number) => (random.chance(`has ${name}`, 0.4) ? probability : 0);
  const endpoints = random.pick('endpoints', [1, 2, 3, 3]);
  const isLied = random.chance('finality', 0.4);
  return {
    stormTicks,
    confirmations: isLied ? 'finalized' : random.integer('confirmations', 1, 4),
    maxBatch: random.pick('batch', [3, 10, 100]),
    signers: random.pick('signers', [1, 1, 2]),
    endpoints: drawWindows(random.of('endpoints'), endpoints, stormTicks),
    orders: random.integer('orders', 3, 18),
    deaths: some('deaths', 3, (death) => ({
      atBorder: random.chance('early', 0.3) ? death.integer('border', 1, 25) : death.integer('border', 1, 300),
      isAfter: death.chance('after', 0.5),
    })),
    reorganisation: sometimes('reorganisations', 0.08),
    stall: sometimes('stalls', 0.1),
    outsideTransaction: sometimes('outside transactions', 0.08),
    stolenKey: sometimes('stolen key', 0.15),
    emptiedAccount: sometimes('emptied accounts', 0.06),
    administration: sometimes('administration', 0.05),
    spike: drawSpan(random.of('spike'), 0.4, stormTicks, 25),
    silentSigners: drawSpan(random.of('silent signers'), 0.2, stormTicks, 8),
    gasMoney: random.chance('little gas money', 0.15) ? ether / 50n : 10n * ether,
    maxCalldata: random.chance('has calldata limit', 0.12) ? 500 : undefined,
    hasSpare: random.chance('spare', 0.25),
    cutConnection: sometimes('cut connections', 0.05),
    clockSteps: some('clock steps', 1, (step) => ({
      tick: step.integer('tick', 1, stormTicks),
      milliseconds: -step.integer('by', 1, 120_000),
    })),
    indexer: {
      lag: BigInt(random.integer('index lag', 0, 3)),
      restartsAt: some('index restarts', 2, (restart) => restart.integer('tick', 1, stormTicks)),
      falseRowsAt: endpoints > 1 ? some('false rows', 2, (row) => row.integer('tick', 1, stormTicks)) : [],
    },
    bankRefuses: random.pick('bank refuses', [0, 0.15]),
  };
}

/** Some ticks of the storm in a row, at most `longest`; none with the rest of the probability. */
function drawSpan(random: Random, probability: number, stormTicks: number, longest: number): { from: number; to: number } {
  if (!random.chance('happens', probability)) return { from: 0, to: 0 };
  const from = random.integer('from', 1, stormTicks);
  return { from, to: from + random.integer('ticks', 2, longest) };
}

/**
 * Outages and slips hit any endpoint. Lies come from one alone, and only where there is another to contradict it: no number of lying
 * endpoints beyond what the quorum bears can be survived.
 */
function drawWindows(random: Random, endpoints: number, stormTicks: number): FaultWindow[][] {
  const liar = random.integer('liar', 0, endpoints - 1);
  return Array.from({ length: endpoints }, (_, endpoint) =>
    (Object.keys(endpointFaults) as EndpointFault[]).flatMap((fault) => {
      const { nature } = endpointFaults[fault];
      if (nature === 'lie' && (endpoints === 1 || endpoint !== liar)) return [];
      const draw = random.of(`${endpoint} ${fault}`);
      if (!draw.chance('happens', 0.2)) return [];
      const fromTick = draw.integer('from', 0, stormTicks - 1);
      const toTick = Math.min(stormTicks, fromTick + draw.integer('ticks', 1, nature === 'slip' ? stormTicks : 12));
      return [{ fault, fromTick, toTick, probability: nature === 'slip' ? draw.pick('often', [0.05, 0.2]) : draw.pick('often', [0.3, 1]) }];
    }),
  );
}
