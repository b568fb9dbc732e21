import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Address } from 'viem';
import type { Chain } from '../../../src/platform/chains.ts';
import type { Currency } from '../../../src/platform/money.ts';
import { loadSettings, type Settings } from '../../../src/platform/settings.ts';
import type { Anvil, AnvilOptions } from './anvil.ts';
import { takeDeployedChain } from './deployed-chain.ts';
import { fundedAccount, type LocalChain } from './local-chain.ts';

/** A local chain with tokens, and the settings with which Mintrail works on it. */
export interface TestNetwork {
  anvil: Anvil;
  rpc: LocalChain;
  tokens: Partial<Record<Currency, Address>>;
  settings: Settings;
  env: Record<string, string>;
  close(): Promise<void>;
}

export interface TestNetworkOptions {
  databaseUrl: string;
  chain?: Chain;
  currencies?: Currency[];
  /** More variables, such as `CHIADO_CONFIRMATIONS`. */
  env?: Record<string, string>;
  anvil?: AnvilOptions;
  mintAllowance?: bigint;
  /** False leaves it to the test to mine each block. */
  mines?: boolean;
}

/** The key that issues and redeems on test networks. */
export const operator = fundedAccount(1);

export async function startTestNetwork(options: TestNetworkOptions): Promise<TestNetwork> {
  const { databaseUrl, chain = 'chiado', currencies = ['eur'], mintAllowance } = options;
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-network-'));
  const { anvil, rpc, tokens, leave } = await takeDeployedChain({
    chain,
    currencies,
    operator: operator.address,
    mintAllowance,
    anvil: options.anvil,
  });
  const blockTime = options.anvil?.blockTime ?? 0.2;
  if (options.mines !== false) await rpc.request({ method: 'anvil_setIntervalMining', params: [Math.ceil(blockTime)] } as never);
  const name = chain.toUpperCase();
  const env = {
    MINTRAIL_ENVIRONMENT: 'sandbox',
    DATABASE_URL: databaseUrl,
    MINTRAIL_DATA_DIR: dataDir,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'fatal',
    [`${name}_TOKENS`]: Object.entries(tokens)
      .map(([currency, token]) => `${currency}:${token}`)
      .join(','),
    [`${name}_RPC_URLS`]: anvil.url,
    [`${name}_SIGNERS`]: operator.privateKey,
    [`${name}_BLOCK_TIME`]: String(blockTime),
    [`${name}_GENESIS`]: 'test',
    [`${name}_CONFIRMATIONS`]: '0',
    ...options.env,
  };
  return {
    anvil,
    rpc,
    tokens,
    settings: loadSettings(env),
    env,
    async close() {
      await (options.mines === false ? leave() : anvil.stop());
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
