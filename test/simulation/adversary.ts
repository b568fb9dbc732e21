import { type Abi, encodeFunctionData, type Hex } from 'viem';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { createKeySigner } from '../../src/chain/signers/raw-key.ts';
import { encodeIssue, encodeRedeem } from '../../src/chain/token/calls.ts';
import { minorUnits } from '../../src/platform/money.ts';
import type { FaultCounts } from './faults.ts';
import { addressOf, customers, keyOf } from './ledger/customers.ts';
import type { PlacedOrder } from './ledger/orders.ts';
import type { Chain } from './node/chain.ts';
import { readTransaction, type SignedTransaction } from './node/signed-transaction.ts';
import type { TokenState } from './node/token-model.ts';
import type { Plan } from './plan.ts';
import type { Random } from './random.ts';

/** Who sends transactions besides the lanes: the operator, the admin, the holders, and whoever holds a stolen key. */
export interface Adversary {
  /** The accounts whose holders have moved their tokens away. */
  emptied: ReadonlySet<string>;
  /** The transactions that reach the maker of this tick's block and no pool. */
  act(tick: number, orders: readonly PlacedOrder[]): Promise<SignedTransaction[]>;
  /** Puts right what the storm has left: unpauses, unblocks, raises the allowances. */
  mend(): Promise<SignedTransaction[]>;
}

/** Private keys besides the lanes'. */
export const adminKey = keyOf('admin');
const thiefKey = keyOf('thief');

/** The customers whose accounts are keys. */
const keyHolders = customers.flatMap(({ privateKey, account }) => (privateKey ? [{ privateKey, account }] : []));

/** The account for which stolen keys issue. */
export const thief = addressOf(thiefKey);

/** For names that are only known at run time. */
const anyAbi: Abi = eMoneyTokenAbi;

const gwei = 10n ** 9n;
const ether = 10n ** 18n;
const fees = { maxFeePerGas: 2_000n * gwei, maxPriorityFeePerGas: 50n * gwei };
const tokenUnitsPerMinorUnit = 10n ** 16n;
const plentifulAllowance = 10n ** 12n;

interface AdversaryOptions {
  chain: Chain;
  token: Hex;
  signerKeys: readonly Hex[];
  plan: Plan;
  random: Random;
  faults: FaultCounts;
}

/** Creates the others on a chain. */
export function createAdversary({ chain, token, signerKeys, plan, random, faults }: AdversaryOptions): Adversary {
  const sign = async (key: Hex, data: Hex, to: Hex = token, gas = 3_000_000n, value = 0n): Promise<SignedTransaction> => {
    const signer = createKeySigner(key);
    const nonce = chain.tip().state.nonces.get(signer.address) ?? 0;
    const { raw } = await signer.sign({ type: 'eip1559', chainId: chain.rules.chainId, nonce, to, data, gas, value, ...fees });
    return readTransaction(raw);
  };
  const emptied = new Set<string>();
  const current = () => chain.tip().state.tokens.get(token) as TokenState;
  const administer = (
    functionName: 'pause' | 'unpause' | 'blockAccount' | 'unblockAccount' | 'setMintAllowance',
    args: readonly unknown[],
  ) => sign(adminKey, encodeFunctionData({ abi: anyAbi, functionName, args }));

  /** The operator's own transaction with a lane's key: its nonce is gone. */
  const outside = async (draw: Random): Promise<SignedTransaction> => {
    const key = draw.pick('key', signerKeys);
    faults.note('operator: outside transaction');
    if (draw.chance('reverts', 0.3)) return sign(key, encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'unpause' }));
    return sign(key, '0x', addressOf(key), 30_000n);
  };

  const steal = async (draw: Random, orders: readonly PlacedOrder[]): Promise<SignedTransaction> => {
    const key = draw.pick('key', signerKeys);
    const victims = orders.filter(({ kind, id }) => kind === 'redeem' && id !== undefined);
    const victim = victims.length > 0 ? draw.pick('victim', victims) : undefined;
    const theft = draw.pick('theft', ['numbers', 'numbers under an order id', 'false signature', 'another order id'] as const);
    if (!victim || theft.startsWith('numbers')) return stealNumbers(key, draw, theft === 'numbers' ? undefined : orders.at(-1)?.id);
    faults.note(`stolen key: redeem with ${theft}`);
    const item = {
      orderId: victim.id as string,
      account: victim.customer.account,
      amount: minorUnits(victim.amount),
      message: victim.message,
    };
    if (theft === 'false signature') return sign(key, encodeRedeem([{ ...item, signature: `0x${'11'.repeat(64)}1b` }]));
    return sign(key, encodeRedeem([{ ...item, orderId: strangeOrder(draw), signature: victim.signature }]));
  };

  const stealNumbers = async (key: Hex, draw: Random, orderId: string | undefined): Promise<SignedTransaction> => {
    faults.note('stolen key: sequence numbers used up');
    const next = BigInt(current().sequences.size);
    const count = draw.integer('count', 1, 4);
    const items = Array.from({ length: count }, (_, index) => ({
      orderId: orderId ?? strangeOrder(draw.of(String(index))),
      account: thief,
      amount: minorUnits(1n),
      sequence: next + BigInt(index + draw.integer('ahead', 0, 3)),
    }));
    return sign(key, encodeIssue(items));
  };

  const administration = async (draw: Random): Promise<SignedTransaction[]> => {
    const customer = draw.pick('customer', customers).account;
    const lane = addressOf(draw.pick('lane', signerKeys));
    const act = draw.pick('act', ['pause', 'unpause', 'block', 'lower allowance'] as const);
    faults.note(`admin: ${act}`);
    if (act === 'pause') return [await administer('pause', [])];
    if (act === 'unpause') return [await administer('unpause', [])];
    if (act === 'block') return [await administer('blockAccount', [customer])];
    const expected = (current().limits.get(lane)?.allowance ?? 0n) * tokenUnitsPerMinorUnit;
    return [await administer('setMintAllowance', [lane, expected, 0n, 0n])];
  };

  const empty = async (draw: Random): Promise<SignedTransaction[]> => {
    const { privateKey, account } = draw.pick('holder', keyHolders);
    const balance = current().balances.get(account) ?? 0n;
    faults.note('holder: account emptied');
    emptied.add(account);
    const data = encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'transfer', args: [thief, balance] });
    return [await sign(privateKey, data, token, 200_000n)];
  };

  return {
    emptied,
    async act(tick, orders) {
      const draw = random.of(`tick ${tick}`);
      const sent: SignedTransaction[] = [];
      if (draw.chance('outside', plan.outsideTransaction)) sent.push(await outside(draw.of('outside')));
      else if (draw.chance('stolen', plan.stolenKey)) sent.push(await steal(draw.of('stolen'), orders));
      if (draw.chance('emptied', plan.emptiedAccount)) sent.push(...(await empty(draw.of('emptied'))));
      if (draw.chance('administration', plan.administration)) sent.push(...(await administration(draw.of('administration'))));
      return sent;
    },
    async mend() {
      const { paused, blocked, limits } = current();
      const acts: Promise<SignedTransaction>[] = [];
      if (paused) acts.push(administer('unpause', []));
      for (const account of blocked) acts.push(administer('unblockAccount', [account]));
      const amount = plentifulAllowance * tokenUnitsPerMinorUnit;
      for (const [operator, { allowance, dailyLimit }] of limits)
        if (allowance < plentifulAllowance / 2n || dailyLimit < plentifulAllowance / 2n)
          acts.push(administer('setMintAllowance', [operator, allowance * tokenUnitsPerMinorUnit, amount, amount]));
      for (const address of signerKeys.map((key) => addressOf(key)))
        if ((chain.tip().state.balances.get(address) ?? 0n) < ether) acts.push(sign(adminKey, '0x', address, 30_000n, 10n * ether));
      const [first] = await Promise.all(acts.slice(0, 1));
      return first ? [first] : [];
    },
  };
}

function strangeOrder(draw: Random): string {
  return `30000000-0000-4000-8000-${String(draw.integer('order', 0, 999_999)).padStart(12, '0')}`;
}
