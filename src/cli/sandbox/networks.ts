import path from 'node:path';
import { swapChain } from '../../platform/chains.ts';
import { privateKeyToAccount } from 'viem/accounts';
import { type Anvil, startAnvil } from '../../platform/process/anvil.ts';
import { deploySafeContracts } from '../../chain/deploy/safe-contracts.ts';
import { deploySettlement } from '../../chain/deploy/local-settlement.ts';
import { inspectChain, type LocalChain } from '../../chain/deploy/local-chain.ts';
import { deployTokens } from '../../chain/deploy/local-tokens.ts';
import { hasCode } from '../../chain/contract.ts';
import { createRpc } from '../../chain/rpc.ts';
import { currencies } from '../../platform/money.ts';
import { adminAccount, chainIdOf, type Instance, makerKeys, operatorKeys, type SandboxChain, type SandboxNetwork } from './instance.ts';
import { inconsistent } from './consistency.ts';

/** What the sandbox's chains are started with. */
export interface NetworkOptions {
  dataDir: string;
  instance: Instance;
  blockTimeSeconds: number;
}

/** Starts the local chain of a network. It continues where it ended. */
export function startChain(chain: SandboxChain, { dataDir, instance, blockTimeSeconds }: NetworkOptions): Promise<Anvil> {
  return startAnvil({
    folder: path.join(dataDir, 'chains', chain),
    chainId: chainIdOf(chain),
    mnemonic: instance.mnemonic,
    blockTimeSeconds,
    logFile: path.join(dataDir, 'logs', `anvil-${chain}.log`),
  });
}

/** Deploys the contracts at the first start. Later checks that the chain is the same and has them. Throws `sandbox_state_mismatch`. */
export async function prepareNetwork(chain: SandboxChain, url: string, instance: Instance): Promise<SandboxNetwork> {
  const local = { url, chainId: chainIdOf(chain) };
  const { genesis } = await inspectChain(local);
  const known = instance.networks[chain];
  if (!known) {
    const [contracts, settlement] = await Promise.all([
      deployContracts(local, instance),
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

async function deployContracts(local: LocalChain, instance: Instance): Promise<Pick<SandboxNetwork, 'tokens'>> {
  const operators = operatorKeys(instance).map(({ address }) => address);
  const admin = adminAccount(instance);
  const tokens = await deployTokens({ ...local, admin, operators, currencies });
  await deploySafeContracts({ ...local, payer: admin });
  return { tokens };
}

/** The maker pays, because the tokens are deployed with the admin's nonces at the same time. */
function deploySwaps(local: LocalChain, instance: Instance) {
  const { address: maker, privateKey } = makerKeys(instance);
  const owner = adminAccount(instance).address;
  return deploySettlement({ ...local, payer: privateKeyToAccount(privateKey) }, { owner, maker });
}
