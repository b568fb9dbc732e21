import path from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { type Anvil, startAnvil } from '../../platform/process/anvil.ts';
import { deploySafe } from '../../chain/deploy/safe-contracts.ts';
import { deploySettlement } from '../../chain/deploy/local-settlement.ts';
import { deployTokens, hasCode, inspectChain } from '../../chain/deploy/local-tokens.ts';
import { currencies } from '../../platform/money.ts';
import {
  adminAccount,
  chainIdOf,
  type Instance,
  makerKeys,
  operatorKeys,
  type SandboxChain,
  type SandboxNetwork,
  swapChain,
} from './instance.ts';
import { inconsistent } from './consistency.ts';

export interface NetworkOptions {
  dataDir: string;
  instance: Instance;
  blockTimeSeconds: number;
}

/** Starts the local chain of a network, where it was. */
export function startChain(chain: SandboxChain, { dataDir, instance, blockTimeSeconds }: NetworkOptions): Promise<Anvil> {
  return startAnvil({
    folder: path.join(dataDir, 'chains', chain),
    chainId: chainIdOf(chain),
    mnemonic: instance.mnemonic,
    blockTimeSeconds,
    logFile: path.join(dataDir, 'logs', `anvil-${chain}.log`),
  });
}

/** Deploys the contracts at the first start; at a later one makes sure that this is the same chain, with the contracts on it. */
export async function prepareNetwork(chain: SandboxChain, url: string, instance: Instance): Promise<SandboxNetwork> {
  const where = { url, chainId: chainIdOf(chain) };
  const { genesis } = await inspectChain(where);
  const known = instance.networks[chain];
  if (!known) {
    const [contracts, settlement] = await Promise.all([
      deployContracts(where, instance),
      chain === swapChain ? deploySwaps(where, instance) : undefined,
    ]);
    return { genesis, ...contracts, ...(settlement ? { settlement } : {}) };
  }
  if (known.genesis !== genesis) throw inconsistent(`the chain ${chain} is not the one that the ledger knows`);
  for (const address of [...Object.values(known.tokens), ...(known.settlement ? [known.settlement] : [])])
    if (!(await hasCode(where, address))) throw inconsistent(`the contract ${address} is missing on the chain ${chain}`);
  return known;
}

interface LocalChain {
  url: string;
  chainId: number;
}

async function deployContracts(where: LocalChain, instance: Instance): Promise<Pick<SandboxNetwork, 'tokens'>> {
  const operators = operatorKeys(instance).map(({ address }) => address);
  const admin = adminAccount(instance);
  const tokens = await deployTokens({ ...where, admin, operators, currencies });
  await deploySafe({ ...where, payer: admin });
  return { tokens };
}

/** The maker pays, because the admin's nonces belong to what is deployed at the same time. */
function deploySwaps(where: LocalChain, instance: Instance) {
  const { address: maker, privateKey } = makerKeys(instance);
  const owner = adminAccount(instance).address;
  return deploySettlement({ ...where, payer: privateKeyToAccount(privateKey) }, { owner, maker });
}
