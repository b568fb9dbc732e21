import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sandboxPayees } from '../../src/bank/sandbox-rail.ts';
import { type Chain, MintrailApiError, paymentMessage, type Schemas } from '../../client/index.ts';
import { creditTo, type Holders, moveAway, type PlacedOrder } from './holders.ts';
import { insist } from '../scenarios/insist.ts';

const payee = { standard: 'iban', iban: 'IS140159260076545510730339' } as const;

interface Redemption {
  address: string;
  chain: Chain;
  to: Schemas['CounterpartRequest']['identifier'];
  amount: string;
  sign: (message: string) => Promise<string>;
  /** Called once the order is accepted. */
  accepted?: (message: string) => Promise<unknown>;
}

type Kind = (holders: Holders, index: number, random: () => number) => Promise<PlacedOrder>;

/** How many of a hundred orders are of each kind; a tenth is doomed. */
const kinds: [share: number, Kind][] = [
  [30, credit],
  [25, (holders, index, random) => fromKey(holders, random, payee, index)],
  [15, acrossChains],
  [12, fromSafe],
  [8, fromSafeOnChain],
  [5, (holders, index, random) => fromKey(holders, random, { standard: 'iban', iban: sandboxPayees.refused }, index)],
  [5, fromMover],
];

/** Places orders of every kind, eight at a time, each after a pause of at most so many milliseconds, and insists on each until it is heard. */
export async function placeMixedOrders(
  holders: Holders,
  { count, longestPauseMs }: { count: number; longestPauseMs: number },
  random: () => number,
): Promise<PlacedOrder[]> {
  const placed: PlacedOrder[] = [];
  let next = 0;
  const place = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      placed.push(await kindOf(index)(holders, index, random));
      await delay(random() * longestPauseMs);
    }
  };
  await Promise.all(Array.from({ length: 8 }, place));
  return placed;
}

/** Spreads the kinds evenly, so that every size has some of each. */
function kindOf(index: number): Kind {
  let share = (index * 37) % 100;
  return kinds.find(([size]) => (share -= size) < 0)?.[1] ?? credit;
}

function amountOf(random: () => number): string {
  return (1 + Math.floor(random() * 500) / 100).toFixed(2);
}

async function credit(holders: Holders, index: number, random: () => number): Promise<PlacedOrder> {
  const chain = random() < 0.5 ? 'chiado' : 'sepolia';
  const key = holders.keys[index % holders.keys.length];
  return { id: await creditTo(holders, `mixed-${index}`, `${chain}:${key?.address}`, amountOf(random)), doomed: false };
}

async function fromKey(holders: Holders, random: () => number, to: Redemption['to'], index: number): Promise<PlacedOrder> {
  const id = await redeemByKey(holders, random, random() < 0.5 ? 'chiado' : 'sepolia', to, index);
  return { id, doomed: 'iban' in to && to.iban === sandboxPayees.refused };
}

async function acrossChains(holders: Holders, index: number, random: () => number): Promise<PlacedOrder> {
  const [chain, target] = random() < 0.5 ? (['chiado', 'sepolia'] as const) : (['sepolia', 'chiado'] as const);
  const to = { standard: 'chain' as const, address: holders.keys[(index + 1) % holders.keys.length]?.address as string, chain: target };
  return { id: await redeemByKey(holders, random, chain, to, index), doomed: false };
}

async function redeemByKey(holders: Holders, random: () => number, chain: Chain, to: Redemption['to'], index: number): Promise<string> {
  const key = holders.keys[index % holders.keys.length] as Holders['mover'];
  const sign = (message: string) => key.signMessage({ message });
  return redeem(holders, { address: key.address, chain, to, amount: amountOf(random), sign });
}

async function fromSafe({ safe, ...holders }: Holders, _index: number, random: () => number): Promise<PlacedOrder> {
  const sign = (message: string) => safe.sign(message);
  const id = await redeem({ safe, ...holders }, { address: safe.address, chain: 'sepolia', to: payee, amount: amountOf(random), sign });
  return { id, doomed: false };
}

/** A Safe's transactions have a nonce: one approval after the other. */
let approvals = Promise.resolve();

async function fromSafeOnChain(holders: Holders, _index: number, random: () => number): Promise<PlacedOrder> {
  const { safe } = holders;
  const accepted = (message: string) =>
    (approvals = approvals.then(async () => void (await safe.approve(message))).then(() => delay(1_500)));
  const id = await redeem(holders, {
    address: safe.address,
    chain: 'sepolia',
    to: payee,
    amount: amountOf(random),
    sign: () => Promise.resolve('0x'),
    accepted,
  });
  return { id, doomed: false };
}

/** A wallet's transactions have a nonce: one after the other, and again where the chain was gone meanwhile. */
let moves = Promise.resolve();

/** The holder moves the tokens away between order and burn; who is first decides. */
async function fromMover(holders: Holders, _index: number, random: () => number): Promise<PlacedOrder> {
  const { mover } = holders;
  const sign = (message: string) => mover.signMessage({ message });
  const order = { address: mover.address, chain: 'sepolia' as const, to: payee, amount: amountOf(random), sign };
  try {
    const accepted = () => (moves = moves.then(() => insist(() => moveAway(holders))));
    return { id: await redeem(holders, { ...order, accepted }), doomed: true };
  } catch (error) {
    if (!(error instanceof MintrailApiError)) throw error;
    // Everything is gone already, and the API says so: pay by another key instead.
    return fromKey(holders, random, payee, 0);
  }
}

async function redeem({ client }: Holders, { address, chain, to, amount, sign, accepted }: Redemption): Promise<string> {
  const id = randomUUID();
  // The amounts of two orders may be equal, and their messages must differ.
  const message = paymentMessage({ currency: 'eur', amount, to, at: new Date(Date.now() + Math.floor(Math.random() * 1e9)) });
  const counterpart = 'iban' in to ? { identifier: to, details: { name: 'Jón Jónsson', country: 'IS' } } : { identifier: to };
  const signature = await sign(message);
  const body = { id, kind: 'redeem', address, chain, currency: 'eur', amount, counterpart, message, signature } as const;
  await insist(() => client.post('/orders', { body }));
  await accepted?.(message);
  return id;
}
