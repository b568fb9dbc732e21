import type { Adversary } from './adversary.ts';
import type { FaultCounts } from './faults.ts';
import type { PlacedOrder } from './ledger/orders.ts';
import { ancestry, blockAt, type BlockOptions, type Chain, type Market } from './node/chain.ts';
import type { SimulatedEndpoint } from './node/endpoint.ts';
import type { SignedTransaction } from './node/signed-transaction.ts';
import type { Plan } from './plan.ts';
import type { Random } from './random.ts';

/** Makes the blocks of a run: full ones, none at all, and others in place of those that were. */
export interface BlockMaker {
  /** What the chain does in a tick; `now` in milliseconds since 1970. */
  make(tick: number, now: number): Promise<void>;
}

interface BlockMakerOptions {
  chain: Chain;
  plan: Plan;
  random: Random;
  faults: FaultCounts;
  endpoints: readonly SimulatedEndpoint[];
  adversary: Adversary;
  /** Those that were placed so far. */
  orders: readonly PlacedOrder[];
  /** Writes a line of the run's trace. */
  say: (line: string) => void;
}

const gwei = 10n ** 9n;

/** Creates the maker of a chain's blocks. */
export function createBlockMaker({ chain, plan, random, faults, endpoints, adversary, orders, say }: BlockMakerOptions): BlockMaker {
  let tick = 0;
  const isStorm = () => tick < plan.stormTicks;

  const market = (): Market => {
    if (isStorm() && plan.spike.from <= tick && tick < plan.spike.to) {
      faults.note('chain: full block');
      return { load: 1, tip: 5n * gwei };
    }
    return { load: isStorm() ? random.pick(`load ${tick}`, [0.2, 0.5, 0.7]) : 0.3, tip: 2n * gwei };
  };

  const make = async (newTick: number, now: number) => {
    tick = newTick;
    const draw = random.of(`block ${tick}`);
    const first: SignedTransaction[] = isStorm() ? await adversary.act(tick, orders) : await adversary.mend();
    const options = { timestamp: BigInt(Math.floor(now / 1_000)), market: market(), first };
    if (isStorm() && draw.chance('stall', plan.stall)) faults.note('chain: no block');
    else if (isStorm() && draw.chance('reorganisation', plan.reorganisation)) reorganise(draw, options);
    else chain.mine(options);
    const tip = chain.tip();
    say(`block ${tip.number} ${tip.hash} ${tip.baseFee}`);
    for (const endpoint of endpoints) endpoint.follow(tick, { ...options, first: [] });
  };

  const reorganise = (draw: Random, options: BlockOptions) => {
    const deepest = typeof plan.confirmations === 'number' ? plan.confirmations : 5;
    const depth = BigInt(draw.integer('depth', 1, deepest));
    const old = chain.tip();
    const root = blockAt(old, old.number > depth ? old.number - depth : 0n);
    if (!root) return;
    faults.note('chain: reorganisation');
    const removed = [...ancestry(old)]
      .filter((block) => block.number > root.number)
      .toReversed()
      .flatMap((block) => block.transactions.map(({ transaction }) => transaction));
    const again = removed.filter((transaction) => draw.chance(`again ${transaction.hash}`, 0.3));
    let branch = root;
    for (let number = root.number; number <= old.number; number += 1n) {
      const isLast = number === old.number;
      branch = chain.fork(branch, {
        ...options,
        fork: `reorganisation at ${tick}`,
        first: isLast ? [...again, ...(options.first ?? [])] : [],
        isEmpty: !isLast,
      });
    }
    chain.reorganise(branch, (transaction) => {
      const keeps = draw.chance(`keep ${transaction.hash}`, 0.8);
      if (!keeps) faults.note('chain: transaction lost in a reorganisation');
      return keeps;
    });
  };

  return { make };
}
