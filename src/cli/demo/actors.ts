import { createPublicClient, http } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type Chain, type Client, linkMessage, type Order } from '../../client/index.ts';
import { RetryError } from '../../platform/errors.ts';
import type { Narrator } from './narrator.ts';
import type { SandboxFile } from './sandbox-process.ts';

/** Those who act in the demo, and what they know. */
export interface Actors {
  client: Client;
  file: SandboxFile;
  narrator: Narrator;
}

/** Longest that a step of the demo may take, in seconds: some blocks and some room. */
const patience = 60;

/** Asks until there is an answer. Throws `demo_timed_out` when there is none in time. */
export async function waitFor<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + patience * 1_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline)
      throw new RetryError({ code: 'demo_timed_out', message: `Waited ${patience} s in vain for ${what}: see the sandbox's logs` });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Waits until an order has ended, and tells what became of it. */
export async function followOrder({ client, file, narrator }: Actors, orderId: string): Promise<Order> {
  const began = Date.now();
  const order = await waitFor(`order ${orderId} to end`, async () => {
    const order = await client.get('/orders/{orderId}', { path: { orderId } });
    return order.state === 'processed' || order.state === 'rejected' ? order : undefined;
  });
  narrator.fact('order', `${order.id} is ${order.state} after ${((Date.now() - began) / 1_000).toFixed(1)} s`);
  for (const hash of order.meta.txHashes ?? []) {
    narrator.fact('transaction', `${hash} in ${await placeOf(file, hash as `0x${string}`)}`);
  }
  if (order.meta.rejectedReason) narrator.fact('reason', order.meta.rejectedReason);
  return order;
}

/** Tells a balance as the API shows it, and as the chain itself does. */
export async function compareBalance(
  { client, file, narrator }: Actors,
  chain: Chain,
  address: `0x${string}`,
  currency: Order['currency'],
): Promise<void> {
  const { balances } = await client.get('/balances/{chain}/{address}', { path: { chain, address }, query: { currency: [currency] } });
  const token = file.chains[chain]?.tokens[currency] as `0x${string}`;
  const units = await chainOf(file, chain).readContract({
    address: token,
    abi: eMoneyTokenAbi,
    functionName: 'balanceOf',
    args: [address],
  });
  narrator.fact('balance', `${balances[0]?.amount} ${currency} by the API, ${units} token units by the chain`);
}

/** Links an address on a chain by its owner's signature. */
export async function linkAddress({ client, narrator }: Actors, account: PrivateKeyAccount, chain: Chain): Promise<void> {
  const signature = await account.signMessage({ message: linkMessage });
  await client.post('/addresses', { body: { address: account.address, chain, message: linkMessage, signature } });
  narrator.fact('address', `${account.address} is linked on ${chain}`);
}

export function accountOf({ file }: Actors, index: number): PrivateKeyAccount {
  return privateKeyToAccount(file.accounts[index]?.privateKey as `0x${string}`);
}

/** Where a transaction is: of a redemption to another chain, the second one is there. */
async function placeOf(file: SandboxFile, hash: `0x${string}`): Promise<string> {
  for (const chain of Object.keys(file.chains)) {
    const receipt = await chainOf(file, chain)
      .getTransactionReceipt({ hash })
      .catch(() => undefined);
    if (receipt) return `block ${receipt.blockNumber} of ${chain}`;
  }
  return 'no block';
}

function chainOf(file: SandboxFile, chain: string) {
  return createPublicClient({ transport: http(file.chains[chain]?.rpcUrl) });
}
