import path from 'node:path';
import { type Chain, chainIds, swapChain } from '../src/platform/chains.ts';
import { privateKeyToAccount } from 'viem/accounts';
import type { Anvil } from './chains/anvil.ts';
import { startRenewedAnvil } from './chains/renewed-anvil.ts';
import { deploySafeContracts } from '../src/chain/deploy/safe-contracts.ts';
import { deploySettlement } from './chains/local-settlement.ts';
import { inspectChain, type LocalChain } from '../src/chain/deploy/local-chain.ts';
import { deployTokens } from './chains/local-tokens.ts';
import { hasCode } from '../src/chain/contract.ts';
import { createRpc } from '../src/chain/endpoints/rpc.ts';
import { currencies } from '../src/platform/money.ts';
import { adminAccount, firstBlockOf, type Fork, type Instance, makerKeys, operatorKeys, type SandboxNetwork } from './instance.ts';
import { inconsistent } from './consistency.ts';
import type { Terminal } from './terminal.ts';

/** What the sandbox's chains are started with. */
export interface NetworkOptions {
  dataDir: string;
  instance: Instance;
  blockTimeSeconds: number;
  /** Blocks on top before an outcome counts. */
  confirmations: number;
  terminal: Pick<Terminal, 'warn'>;
}

/** Starts the local chain of a network. It continues where it ended. A fork reads from `sourceUrl` what it does not have itself. */
export function startChain(
  chain: Chain,
  { dataDir, instance, blockTimeSeconds, confirmations, terminal }: NetworkOptions,
  sourceUrl: string | undefined,
): Promise<Anvil> {
  const fork = instance.forks?.[chain];
  return startRenewedAnvil({
    folder: path.join(dataDir, 'chains', chain),
    chainId: chainIds[chain],
    fork: fork && sourceUrl !== undefined ? { url: sourceUrl, block: fork.block } : undefined,
    mnemonic: instance.mnemonic,
    blockTimeSeconds,
    confirmations,
    logFile: path.join(dataDir, 'logs', `anvil-${chain}.log`),
    report: (line) => terminal.warn(`[anvil-${chain}] ${line}`),
  });
}

/** Deploys the contracts at the first start. Later checks that the chain is the same and has them. Throws `not_possible`. */
export async function prepareNetwork(chain: Chain, url: string, instance: Instance): Promise<SandboxNetwork> {
  const local = { url, chainId: chainIds[chain] };
  const { genesis } = await inspectChain(local, firstBlockOf(instance, chain));
  const known = instance.networks[chain];
  if (!known) {
    const [contracts, settlement] = await Promise.all([
      deployContracts(local, instance, instance.forks?.[chain]?.inherited),
      chain === swapChain ? deploySwaps(local, instance) : undefined,
    ]);
    return { genesis, ...contracts, ...(settlement ? { settlement } : {}) };
  }
  if (known.genesis !== genesis) throw inconsistent(`the chain ${chain} is not the one that the ledger knows`);
  const rpc = createRpc({ chain, rpcUrls: [url] });
  for (const address of [...Object.values(known.tokens), ...(known.settlement ? [known.settlement] : [])])
    if (!(await hasCode(rpc, address))) throw inconsistent(`the contract ${address} is missing on the chain ${chain}`);
  return known;
}

/** Of the currencies whose token the fork inherits none is deployed. */
async function deployContracts(
  local: LocalChain,
  instance: Instance,
  inherited: Fork['inherited'] = {},
): Promise<Pick<SandboxNetwork, 'tokens'>> {
  const operators = operatorKeys(instance).map(({ address }) => address);
  const admin = adminAccount(instance);
  const own = currencies.filter((currency) => !inherited[currency]);
  const tokens = await deployTokens({ ...local, admin, operators, currencies: own });
  await deploySafeContracts({ ...local, payer: admin });
  return { tokens: { ...inherited, ...tokens } };
}

/** The maker pays, because the tokens are deployed with the admin's nonces at the same time. */
function deploySwaps(local: LocalChain, instance: Instance) {
  const { address: maker, privateKey } = makerKeys(instance);
  const owner = adminAccount(instance).address;
  return deploySettlement({ ...local, payer: privateKeyToAccount(privateKey) }, { owner, maker });
}
