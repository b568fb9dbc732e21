import { createSigner } from '../../chain/signers/create-signer.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { type Chain, chainIds } from '../../platform/chains.ts';
import type { Settings } from '../../platform/settings.ts';
import type { ReadRates } from '../../swap/rates.ts';
import { createRatesFile } from '../../swap/rates-file.ts';

/** The only chain of swaps (docs/api.md, Swap). */
export const swapChain = 'arbitrumsepolia' satisfies Chain;
export const swapChainId = chainIds[swapChain];

/** Who quotes, and by what. */
export interface SwapDesk {
  /** The maker of the settlement contract. */
  signer: Pick<Signer, 'address' | 'signTypedData'>;
  /** In lower case. */
  settlement: `0x${string}`;
  readRates: ReadRates;
  spreadBps: bigint;
  depthUsd: bigint;
  quoteSeconds: number;
}

/** The desk that the settings describe; `undefined` without one. The key is the maker's own and signs nothing but its quotes. */
export async function openSwapDesk(settings: Settings): Promise<SwapDesk | undefined> {
  const { MINTRAIL_ENVIRONMENT: environment, SWAP_SIGNER, SWAP_SETTLEMENT, SWAP_RATES_FILE } = settings;
  if (environment !== 'sandbox' || missingOf(settings).length > 0) return undefined;
  return {
    signer: await createSigner(SWAP_SIGNER as string, { environment, keystorePassword: settings.SWAP_KEYSTORE_PASSWORD }),
    settlement: SWAP_SETTLEMENT as `0x${string}`,
    readRates: createRatesFile({ file: SWAP_RATES_FILE as string, maxAgeSeconds: settings.SWAP_RATES_SECONDS }),
    spreadBps: BigInt(settings.SWAP_SPREAD_BPS),
    depthUsd: BigInt(settings.SWAP_DEPTH_USD),
    quoteSeconds: settings.SWAP_QUOTE_SECONDS,
  };
}

/** The settings without which there is no desk. */
export function missingOf(settings: Settings): string[] {
  const needed = ['SWAP_SIGNER', 'SWAP_SETTLEMENT', 'SWAP_RATES_FILE'] as const;
  const tokens = settings.networks[swapChain] ? [] : [`${swapChain.toUpperCase()}_TOKENS`];
  return [...tokens, ...needed.filter((name) => settings[name] === undefined)];
}
