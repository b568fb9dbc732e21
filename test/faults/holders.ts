import { createWalletClient, http, publicActions } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { openSafe, type SafeWallet } from '../../sandbox/demo/safe-wallet.ts';
import { type Client, linkMessage, type Order } from '../../client/index.ts';
import { until } from '../support/until.ts';
import { openIban } from '../scenarios/customers.ts';
import { insist } from '../scenarios/insist.ts';

export interface PlacedOrder {
  id: string;
  /** Whether something was done against it on purpose. */
  doomed: boolean;
}

/** Those who hold tokens in a scenario: three keys on both chains, one that moves its tokens away, and a Safe on sepolia. */
export interface Holders {
  client: Client;
  file: SandboxFile;
  iban: string;
  keys: PrivateKeyAccount[];
  mover: PrivateKeyAccount;
  safe: SafeWallet;
}

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

/** Links them all and gives each a thousand euro on each of its chains. */
export async function createHolders(file: SandboxFile, client: Client): Promise<Holders> {
  const accounts = file.accounts.map(({ privateKey }) => privateKeyToAccount(privateKey));
  const [mover, ...keys] = accounts.slice(0, 4) as [PrivateKeyAccount, ...PrivateKeyAccount[]];
  for (const account of [mover, ...keys]) {
    const signature = await account.signMessage({ message: linkMessage });
    for (const chain of ['chiado', 'sepolia'] as const)
      await client.post('/addresses', { body: { address: account.address, chain, signature } });
  }
  const safe = await openSafe(file, 'sepolia', file.accounts.slice(4, 7));
  await client.post('/addresses', { body: { address: safe.address, chain: 'sepolia', signature: await safe.sign(linkMessage) } });
  const iban = await openIban(client, mover.address, 'chiado');
  const holders = { client, file, iban, keys, mover, safe };
  const funded = [
    ...keys.flatMap(({ address }) => [`chiado:${address}`, `sepolia:${address}`]),
    `sepolia:${mover.address}`,
    `sepolia:${safe.address}`,
  ];
  const ids = await Promise.all(funded.map((remittance, index) => creditTo(holders, `fund-${index}`, remittance, '1000.00')));
  await until('all hold tokens', async () => {
    const orders = await readOrders(client);
    return ids.every((id) => orders.get(id)?.state === 'processed') || undefined;
  });
  return holders;
}

/** Reports a credit until it is heard. Returns the order's id. */
export async function creditTo({ client, iban }: Holders, reference: string, remittance: string, amount: string): Promise<string> {
  const body = { iban, amount, currency: 'eur', payer, remittance, reference } as const;
  const { order } = await insist(() => client.post('/sandbox/credits', { body }));
  return order?.id as string;
}

/** Sends all tokens of the mover away, past Mintrail. */
export async function moveAway({ file, mover, keys }: Holders): Promise<void> {
  const { rpcUrl, tokens } = file.chains.sepolia as SandboxFile['chains'][string];
  const wallet = createWalletClient({ account: mover, transport: http(rpcUrl) }).extend(publicActions);
  const token = { address: tokens.eur as `0x${string}`, abi: eMoneyTokenAbi } as const;
  const amount = await wallet.readContract({ ...token, functionName: 'balanceOf', args: [mover.address] });
  if (amount === 0n) return;
  const hash = await wallet.writeContract({
    ...token,
    functionName: 'transfer',
    args: [keys[0]?.address as `0x${string}`, amount],
    chain: null,
  });
  await wallet.waitForTransactionReceipt({ hash });
}

/** Every order of the caller. */
export async function readOrders(client: Client): Promise<Map<string, Order>> {
  const orders = new Map<string, Order>();
  for await (const order of client.pages('/orders', { query: { limit: 500 } })) orders.set(order.id, order);
  return orders;
}
