import {
  bytesToHex,
  createTestClient,
  encodeFunctionData,
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type EncodeFunctionDataParameters,
  type Hex,
  http,
  type PrivateKeyAccount,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from 'viem';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import type { Fees } from '../../../src/chain/fees.ts';
import { patienceMs } from '../patience.ts';
import { type AnvilOptions, startAnvil } from './anvil.ts';

/** A viem client with public, wallet and test actions for a local Anvil. */
export type LocalChain = ReturnType<typeof connectLocalChain>;

export function connectLocalChain(url: string, chainId: number = foundry.id) {
  return createTestClient({
    chain: { ...foundry, id: chainId },
    mode: 'anvil',
    transport: http(url, { timeout: patienceMs }),
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
}

/** A local chain of the caller's own, with the address of its node. */
export async function startLocalChain(options: AnvilOptions = {}) {
  const anvil = await startAnvil(options);
  return { ...connectLocalChain(anvil.url, options.chainId), url: anvil.url, close: () => anvil.stop() };
}

/** An account together with its private key. */
export type LocalAccount = PrivateKeyAccount & { privateKey: Hex };

export function localAccount(privateKey: Hex): LocalAccount {
  return { ...privateKeyToAccount(privateKey), privateKey };
}

const anvilAccounts = new Map<number, LocalAccount>();

/** One of the ten accounts that Anvil gives 10,000 ether each. */
export function fundedAccount(index: number): LocalAccount {
  // To derive a key takes as long as twenty transactions.
  const account = anvilAccounts.get(index) ?? deriveAccount(index);
  anvilAccounts.set(index, account);
  return account;
}

function deriveAccount(index: number): LocalAccount {
  const { privateKey } = mnemonicToAccount('test test test test test test test test test test test junk', {
    addressIndex: index,
  }).getHdKey();
  if (!privateKey || index > 9) throw new Error(`Anvil funds ten accounts, there is no number ${index}`);
  return localAccount(bytesToHex(privateKey));
}

export type LocalTransaction = { from?: PrivateKeyAccount; to?: Address; data?: Hex; value?: bigint; gas?: bigint } & Partial<Fees>;

/** Sends one transaction and mines it. Throws if it is reverted. */
export async function transact(chain: LocalChain, { from = fundedAccount(0), ...request }: LocalTransaction): Promise<TransactionReceipt> {
  const hash = await chain.sendTransaction({ account: from, ...request });
  await chain.mine({ blocks: 1 });
  const receipt = await chain.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`Transaction ${hash} was reverted`);
  return receipt;
}

/** Calls one function of a contract in a transaction of its own. */
export function execute<const abi extends Abi, name extends ContractFunctionName<abi, 'nonpayable' | 'payable'>>(
  chain: LocalChain,
  to: Address,
  abi: abi,
  functionName: name,
  args: ContractFunctionArgs<abi, 'nonpayable' | 'payable', name>,
  transaction: LocalTransaction = {},
): Promise<TransactionReceipt> {
  const data = encodeFunctionData({ abi, functionName, args } as EncodeFunctionDataParameters);
  return transact(chain, { ...transaction, to, data });
}
