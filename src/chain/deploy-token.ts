import {
  type Address,
  type Chain,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
  keccak256,
  type LocalAccount,
  maxUint128,
  stringToHex,
  zeroAddress,
} from 'viem';
import { eMoneyTokenBytecode, erc1967ProxyBytecode } from '../../abis/bytecode.ts';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { erc1967ProxyAbi } from '../../abis/erc1967Proxy.ts';
import { StopError } from '../platform/errors.ts';
import { type Currency, tokenSymbol } from '../platform/money.ts';

export interface TokenDeployment {
  url: string;
  chainId: number;
  /** Pays, and administers the tokens. Its nonces begin at 0 and belong to the deployment alone. */
  admin: LocalAccount;
  /** Accounts that may issue and redeem. */
  operators: readonly Address[];
  currencies: readonly Currency[];
  mintAllowance?: bigint;
}

export type Tokens = Partial<Record<Currency, Address>>;

const operatorRole = keccak256(stringToHex('OPERATOR_ROLE'));

/** The implementation takes about four million; below the 16.7 million that EIP-7825 allows a transaction. */
const deployGas = 8_000_000n;
const callGas = 300_000n;

interface Step {
  to?: Address;
  data: Hex;
  gas: bigint;
}

/**
 * Deploys one implementation and, per currency, a proxy with its operators. Every transaction has its fixed nonce, so a
 * deployment that was interrupted goes on where it was, and the addresses are the same. They are all sent at once.
 */
export async function deployTokens(deployment: TokenDeployment): Promise<Tokens> {
  const { steps, tokens } = plan(deployment);
  const chain = localChain(deployment);
  const transport = http(deployment.url);
  const client = createPublicClient({ chain, transport, pollingInterval: 100 });
  const wallet = createWalletClient({ chain, transport, account: deployment.admin });
  const fees = await client.estimateFeesPerGas();
  const done = await client.getTransactionCount({ address: deployment.admin.address, blockTag: 'pending' });
  const hashes: Hex[] = [];
  for (const [nonce, step] of steps.entries())
    if (nonce >= done) {
      // Room for the base fee to rise while the earlier ones fill blocks.
      const maxFeePerGas = fees.maxFeePerGas * 2n;
      hashes.push(await wallet.sendTransaction({ ...step, nonce, maxFeePerGas, maxPriorityFeePerGas: fees.maxPriorityFeePerGas }));
    }
  for (const hash of hashes) {
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 60_000 });
    if (receipt.status !== 'success') throw new StopError({ code: 'deployment_failed', message: `The deployment ${hash} was reverted` });
  }
  return tokens;
}

function plan({ admin, operators, currencies, mintAllowance = maxUint128 }: TokenDeployment): { steps: Step[]; tokens: Tokens } {
  const steps: Step[] = [{ data: eMoneyTokenBytecode, gas: deployGas }];
  const implementation = getContractAddress({ from: admin.address, nonce: 0n });
  const tokens: Tokens = {};
  for (const currency of currencies) {
    const token = getContractAddress({ from: admin.address, nonce: BigInt(steps.length) });
    tokens[currency] = token;
    const name = currency.toUpperCase();
    const initialize = encodeFunctionData({
      abi: eMoneyTokenAbi,
      functionName: 'initialize',
      args: [`Mintrail ${name}`, tokenSymbol(currency), name, admin.address, 0],
    });
    const proxy = encodeDeployData({ abi: erc1967ProxyAbi, bytecode: erc1967ProxyBytecode, args: [implementation, initialize] });
    steps.push({ data: proxy, gas: deployGas / 4n });
    for (const operator of operators) {
      const grant = encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'grantRole', args: [operatorRole, operator] });
      const allow = encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'setMintAllowance', args: [operator, mintAllowance] });
      steps.push({ to: token, data: grant, gas: callGas }, { to: token, data: allow, gas: callGas });
    }
  }
  return { steps, tokens };
}

/** What tells one instance of a local chain from another under the same id, and how far it has come. */
export async function inspectChain({ url, chainId }: { url: string; chainId: number }): Promise<{ genesis: Hex; head: bigint }> {
  const client = createPublicClient({ chain: localChain({ url, chainId }), transport: http(url), cacheTime: 0 });
  const { hash } = await client.getBlock({ blockNumber: 0n });
  return { genesis: hash, head: await client.getBlockNumber() };
}

/** Whether there is a contract at an address. */
export async function hasCode({ url, chainId }: { url: string; chainId: number }, address: Address = zeroAddress): Promise<boolean> {
  const client = createPublicClient({ chain: localChain({ url, chainId }), transport: http(url) });
  return ((await client.getCode({ address })) ?? '0x') !== '0x';
}

function localChain({ url, chainId }: { url: string; chainId: number }): Chain {
  return {
    id: chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  };
}
