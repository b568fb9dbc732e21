import { createPublicClient, http } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { type Chain, type Client, linkMessageFor, type Order } from '../../client/index.ts';
import { RetryError } from '../../src/platform/errors.ts';
import type { DemoChains } from './demo-chains.ts';
import type { Printer } from './printer.ts';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';

/** What every step of the demo works with. */
export interface DemoContext {
  /** Acts for the customer's application. */
  client: Client;
  /** The sandbox's own description. */
  file: SandboxFile;
  chains: DemoChains;
  printer: Printer;
}

/** Longest time that a step of the demo may take: several blocks, on a slow machine. */
const stepTimeoutSeconds = 300;

/** Polls until `poll` returns something else than undefined, and returns that. Throws `not_possible_yet` when it takes too long. `what` names it in the error. */
export async function waitFor<T>(what: string, poll: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + stepTimeoutSeconds * 1_000;
  for (;;) {
    const answer = await poll();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline)
      throw new RetryError({
        code: 'not_possible_yet',
        message: `${what} did not happen in ${stepTimeoutSeconds} s: see the sandbox's logs`,
      });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Waits until an order is processed or rejected, and prints the result. */
export async function followOrder({ client, file, printer }: DemoContext, orderId: string): Promise<Order> {
  const startedAt = Date.now();
  const order = await waitFor(`The end of order ${orderId}`, async () => {
    const order = await client.get('/orders/{orderId}', { path: { orderId } });
    return order.state === 'processed' || order.state === 'rejected' ? order : undefined;
  });
  printer.fact('order', `${order.id} is ${order.state} after ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`);
  for (const hash of order.meta.txHashes ?? []) {
    printer.fact('transaction', `${hash} in ${await findBlock(file, hash as `0x${string}`)}`);
  }
  if (order.meta.rejectedReason) printer.fact('reason', order.meta.rejectedReason);
  return order;
}

/** Prints a balance by the API, and by the chain itself. */
export async function compareBalance(
  { client, file, printer }: DemoContext,
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
  printer.fact('balance', `${balances[0]?.amount} ${currency} by the API, ${units} token units by the chain`);
}

/** Links an address on a network, by its owner's signature of a linking message. */
export async function linkAddress(context: DemoContext, account: PrivateKeyAccount, chain: Chain): Promise<void> {
  const { client, printer } = context;
  const message = await linkingMessage(context, account.address, chain);
  const signature = await account.signMessage({ message });
  await client.post('/addresses', { body: { address: account.address, chain, message, signature } });
  printer.fact('address', `${account.address} is linked on ${chain}`);
}

/** The message that links an address to the caller's profile, and to no other (docs/api.md, Linking message). */
export async function linkingMessage({ client, file }: DemoContext, address: string, chain: Chain): Promise<string> {
  const { defaultProfile: profile = '' } = await client.get('/auth/context');
  return linkMessageFor({ baseUrl: file.apiUrl, profile, address, chain });
}

/** One of the sandbox's funded accounts. */
export function accountOf({ file }: DemoContext, index: number): PrivateKeyAccount {
  return privateKeyToAccount(file.accounts[index]?.privateKey as `0x${string}`);
}

/** The block and network of a transaction: a redemption to another network has transactions on both. */
async function findBlock(file: SandboxFile, hash: `0x${string}`): Promise<string> {
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
