import path from 'node:path';
import { type Anvil, startAnvil } from '../../chain/anvil.ts';
import { deploySafe } from '../../chain/deploy-safe.ts';
import { deployTokens, hasCode, inspectChain } from '../../chain/deploy-token.ts';
import { currencies } from '../../platform/money.ts';
import { adminAccount, chainIdOf, type Instance, operatorKeys, type SandboxChain, type SandboxNetwork } from './instance.ts';
import { misfit } from './misfit.ts';

export interface NetworkOptions {
  dataDir: string;
  instance: Instance;
  blockTime: number;
}

/** Starts the local chain of a network, where it was. */
export function startChain(chain: SandboxChain, { dataDir, instance, blockTime }: NetworkOptions): Promise<Anvil> {
  return startAnvil({
    folder: path.join(dataDir, 'chains', chain),
    chainId: chainIdOf(chain),
    mnemonic: instance.mnemonic,
    blockTime,
    logFile: path.join(dataDir, 'logs', `anvil-${chain}.log`),
  });
}

/** Deploys the tokens at the first start; at a later one makes sure that this is the same chain, with the tokens on it. */
export async function prepareNetwork(chain: SandboxChain, url: string, instance: Instance): Promise<SandboxNetwork> {
  const where = { url, chainId: chainIdOf(chain) };
  const { genesis } = await inspectChain(where);
  const known = instance.networks[chain];
  if (!known) {
    const operators = operatorKeys(instance).map(({ address }) => address);
    const admin = adminAccount(instance);
    const tokens = await deployTokens({ ...where, admin, operators, currencies });
    await deploySafe({ ...where, payer: admin });
    return { genesis, tokens };
  }
  if (known.genesis !== genesis) throw misfit(`the chain ${chain} has begun anew, and the ledger knows the one before`);
  for (const address of Object.values(known.tokens))
    if (!(await hasCode(where, address))) throw misfit(`the token ${address} is missing on the chain ${chain}`);
  return known;
}
