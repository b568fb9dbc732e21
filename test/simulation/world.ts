import type { Hex } from 'viem';
import { chainFacts, chainIds } from '../../src/platform/chains.ts';
import { loadSettings, type Settings } from '../../src/platform/settings.ts';
import type { NetworkSettings } from '../../src/platform/settings.ts';
import { adminKey } from './adversary.ts';
import { addressOf, customers, keyOf } from './ledger/customers.ts';
import { type Chain, createChain } from './node/chain.ts';
import { type ContractAccountKind, contractAccountKinds } from './node/contract-accounts.ts';
import { addOperator, createToken } from './node/token-model.ts';
import { tokenAddress } from './node/token-address.ts';
import type { Plan } from './plan.ts';

/** When a run begins, in milliseconds since 1970. */
export const startMs = Date.UTC(2026, 10, 20, 12);

/** Milliseconds of a tick: the time of a block of Chiado. */
export const tickMs = 5_000;

/** Token units that each customer holds at the beginning. */
export const initialBalance = 10_000_000n * 10n ** 16n;

/** Seconds within which a leg has to end before the status names it: 30 blocks. */
export const overdueSeconds = 150;

const gwei = 10n ** 9n;
const ether = 10n ** 18n;
const plentifulAllowance = 10n ** 12n;

/** The customers that can hold tokens. */
export const holders = customers.filter(({ account }) => account !== tokenAddress);

/** What a run happens on: the chain, its settings, and the keys of the lanes. */
export interface World {
  chain: Chain;
  /** What an endpoint of the wrong network shows. */
  otherChain: Chain;
  settings: Settings;
  network: NetworkSettings;
  signerKeys: Hex[];
}

/** Makes the world of a run. */
export function createWorld(plan: Plan, databaseUrl: string): World {
  const signerKeys = Array.from({ length: plan.signers }, (_, index) => keyOf(`lane ${index}`));
  const token = createToken({ address: tokenAddress, currency: 'EUR', admin: addressOf(adminKey), signatureGas: 500_000 });
  for (const key of signerKeys) addOperator(token, addressOf(key), plentifulAllowance);
  for (const { account } of holders) {
    token.balances.set(account, initialBalance);
    token.touched.add(account);
    token.supply += initialBalance;
  }
  const contracts = new Map<string, ContractAccountKind>(
    customers.flatMap(({ account, contract }) => (contract ? [[account, contractAccountKinds[contract]] as const] : [])),
  );
  const rules = {
    chainId: chainIds.chiado,
    blockGas: Number(chainFacts('chiado').blockGas),
    minTip: gwei,
    feeCap: ether,
    maxCalldata: plan.maxCalldata,
    safeDepth: 3n,
    finalizedDepth: 6n,
  };
  const balances = new Map([
    [addressOf(adminKey) as string, 1_000n * ether],
    ...signerKeys.map((key) => [addressOf(key) as string, plan.gasMoney] as const),
    ...customers.map(({ account }) => [account as string, 100n * ether] as const),
  ]);
  const state = { tokens: new Map([[tokenAddress as string, token]]), nonces: new Map<string, number>(), balances, contracts };
  const start = { timestamp: BigInt(startMs / 1_000), baseFee: 5n * gwei };
  const empty = { tokens: new Map(), nonces: new Map(), balances: new Map(), contracts: new Map() };
  const settings = loadSettings({
    MINTRAIL_ENVIRONMENT: 'sandbox',
    DATABASE_URL: databaseUrl,
    CHIADO_TOKENS: `eur:${tokenAddress}`,
    CHIADO_RPC_URLS: plan.endpoints.map((_, index) => `http://${endpointName(index)}.invalid`).join(','),
    CHIADO_SIGNERS: signerKeys.join(','),
    CHIADO_CONFIRMATIONS: String(plan.confirmations),
    CHIADO_MAX_BATCH: String(plan.maxBatch),
    CHIADO_GENESIS: 'simulation',
  });
  return {
    chain: createChain(rules, state, start),
    otherChain: createChain({ ...rules, chainId: 1 }, empty, start),
    settings,
    network: Object.assign(settings.networks.chiado as NetworkSettings, { overdueSeconds }),
    signerKeys,
  };
}

/** The name of an endpoint, by its number. */
export function endpointName(index: number): string {
  return `endpoint-${index}`;
}
