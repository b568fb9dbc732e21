import { randomUUID } from 'node:crypto';
import { type Address, encodeFunctionData, type Hex, pad, parseEventLogs, toHex, type TransactionReceipt } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { encodeIssue, encodeRedeem, type RedeemItem } from '../../../src/chain/token/calls.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { fundedAccount, localAccount, type LocalChain, transact } from './local-chain.ts';
import { createSafe, type SafeSuite, signWithSafe } from './safe.ts';
import { deployToken } from './token.ts';

/** Measures the gas of whole transactions to the token behind its proxy, divided by the items in them. */
export type GasMeter = {
  issueToFreshHolders: (items: number) => Promise<number>;
  issueToExistingHolders: (items: number) => Promise<number>;
  redeemFromKeys: (items: number) => Promise<number>;
  /** Each from a 2-of-3 Safe of its own, signed off chain. */
  redeemFromSafes: (items: number) => Promise<number>;
  /** One ERC-20 transfer between accounts that hold tokens before and after. */
  transfer: () => Promise<number>;
};

/** Most gas of an item in a batch of 100, as whole transactions through the proxy; and of a transfer. */
export const mostGas = {
  issueToFreshHolder: 28_000,
  issueToExistingHolder: 10_900,
  redeemFromKey: 45_000,
  redeemFromSafe: 78_000,
  transfer: 41_700,
};

type Sign = (message: string) => Promise<Hex>;
type Holder = { address: Address; sign: Sign };

// EIP-7825: what one transaction may spend on a real network.
const MAX_TRANSACTION_GAS = 16_777_216n;
// An amount as payments have it, so that its bytes cost what they cost in earnest. Each holder keeps some: emptying a balance earns a refund.
const ISSUED = minorUnits(1234_56n);
const REDEEMED = '12.34';
const TRANSFERRED = 12_340_000_000_000_000_000n;

export async function createGasMeter(chain: LocalChain, suite: SafeSuite): Promise<GasMeter> {
  const token = await deployToken(chain);
  const safes: Holder[] = [];
  let sequence = 0n;
  let keys = 0;
  let payments = 0;

  const issue = async (holders: readonly Holder[]) => {
    const items = holders.map(({ address }) => ({ sequence: sequence++, orderId: randomUUID(), account: address, amount: ISSUED }));
    const receipt = await transact(chain, { to: token, data: encodeIssue(items), gas: MAX_TRANSACTION_GAS });
    demand(receipt, 'Issued', items.length);
    return perItem(receipt, items.length);
  };

  const redeem = async (holders: readonly Holder[]) => {
    await issue(holders);
    const items = await Promise.all(holders.map((holder) => redeemItem(holder, payments++)));
    const receipt = await transact(chain, { to: token, data: encodeRedeem(items), gas: MAX_TRANSACTION_GAS });
    demand(receipt, 'Redeemed', items.length);
    return perItem(receipt, items.length);
  };

  const keyHolders = (count: number): Holder[] => Array.from({ length: count }, () => keyHolder(keys++));

  return {
    issueToFreshHolders: (items) => issue(keyHolders(items)),
    async issueToExistingHolders(items) {
      const holders = keyHolders(items);
      await issue(holders);
      return issue(holders);
    },
    redeemFromKeys: (items) => redeem(keyHolders(items)),
    async redeemFromSafes(items) {
      while (safes.length < items) safes.push(await safeHolder(chain, suite, safes.length));
      return redeem(safes.slice(0, items));
    },
    async transfer() {
      const [from, to] = [fundedAccount(4), fundedAccount(5)];
      await issue([from, to].map(({ address }) => ({ address, sign: () => Promise.reject(new Error('signs nothing')) })));
      const data = encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'transfer', args: [to.address, TRANSFERRED] });
      return Number((await transact(chain, { from, to: token, data })).gasUsed);
    },
  };
}

function keyHolder(index: number): Holder {
  const { address, signMessage } = localAccount(pad(toHex(0x10_0000 + index), { size: 32 }));
  return { address, sign: (message) => signMessage({ message }) };
}

async function safeHolder(chain: LocalChain, suite: SafeSuite, index: number): Promise<Holder> {
  const owners = [fundedAccount(1), fundedAccount(2), fundedAccount(3)] as const;
  const safe = { owners: owners.map(({ address }) => address), threshold: 2, saltNonce: 1000 + index };
  const address = await createSafe(chain, suite, safe);
  return { address, sign: (message) => signWithSafe(suite, address, [owners[0], owners[2]], message) };
}

async function redeemItem({ address, sign }: Holder, payment: number): Promise<RedeemItem> {
  const time = new Date(Date.now() + payment * 1000).toISOString();
  const message = `Send EUR ${REDEEMED} to DE68500105178297336485 at ${time}`;
  return { orderId: randomUUID(), account: address, amount: minorUnits(12_34n), message, signature: await sign(message) };
}

function demand({ logs }: TransactionReceipt, eventName: 'Issued' | 'Redeemed', count: number): void {
  const found = parseEventLogs({ abi: eMoneyTokenAbi, logs, eventName }).length;
  if (found !== count) throw new Error(`${count} items gave ${found} ${eventName} events`);
}

function perItem({ gasUsed }: TransactionReceipt, items: number): number {
  return Math.round(Number(gasUsed) / items);
}
