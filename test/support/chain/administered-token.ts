import type { Abi, Address } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { deployToken, type DeployOptions } from '../../../src/cli/token/deployment.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { type Anvil, startAnvil } from './anvil.ts';
import { connectLocalChain, fundedAccount, type LocalChain } from './local-chain.ts';
import { createSafe, deploySafeSuite, type SafeSuite, type SafeVersion } from './safe.ts';

/** Without its types, so that tests may call any view. */
const abi: Abi = eMoneyTokenAbi;

/** The accounts of a token's administration: three owners of its Safe, and keys with a role each. */
export const administrators = {
  owners: [fundedAccount(1), fundedAccount(2), fundedAccount(3)] as const,
  deployer: fundedAccount(4),
  operator: fundedAccount(5),
  blocker: fundedAccount(6),
  /** Pays for gas and holds nothing else. */
  payer: fundedAccount(7),
};

/** A local chain with a 2-of-3 Safe that can administer tokens. */
export interface AdministeredChain {
  anvil: Anvil;
  chain: LocalChain;
  suite: SafeSuite;
  safe: Address;
  /** Deploys a token as `mintrail token deploy` does; the operator may issue 1,000.50. */
  deploy(changed?: Partial<DeployOptions>): Promise<Address>;
  /** The environment of an operator's machine, whose settings name the token. Keys are in variables. */
  machine(token: Address, keys?: Record<string, string>): Record<string, string>;
  /** Calls a view of a token. */
  ask(token: Address, functionName: string, args?: readonly unknown[]): Promise<unknown>;
  /** Stops and starts its blocks; once they were stopped, there is one a second. */
  mine(on: boolean): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts it as the network gnosis. It mines five blocks a second. */
export async function startAdministeredChain(version: SafeVersion = '1.4.1'): Promise<AdministeredChain> {
  const { owners, deployer, operator, blocker } = administrators;
  const anvil = await startAnvil({ chainId: 100, slotsInAnEpoch: 1, blockTime: 0.2 });
  const chain = connectLocalChain(anvil.url, 100);
  const suite = await deploySafeSuite(chain, anvil.url, version);
  const safe = await createSafe(chain, suite, { owners: owners.map(({ address }) => address), threshold: 2 });
  const mine = (on: boolean) => chain.request({ method: 'anvil_setIntervalMining', params: [on ? 1 : 0] } as never);
  const base = { MINTRAIL_ENVIRONMENT: 'sandbox', GNOSIS_RPC_URLS: anvil.url, GNOSIS_DEPLOYER: deployer.privateKey };
  return {
    anvil,
    chain,
    suite,
    safe,
    mine,
    ask: (address, functionName, args = []) => chain.readContract({ address, abi, functionName, args }),
    async deploy(changed = {}) {
      const accounts = { admin: safe, operator: [operator.address], blocker: [blocker.address] };
      const options = {
        chain: 'gnosis',
        currency: 'eur',
        adminDelay: 0,
        mintAllowance: minorUnits(1000_50n),
        ...accounts,
        ...changed,
      } as const;
      return (await deployToken(options, base, async () => {})).token;
    },
    close: () => anvil.stop(),
    machine: (token, keys = {}) => ({ ...base, GNOSIS_TOKENS: `eur:${token}`, ...keys }),
  };
}
