import { createSigner } from '../../chain/signers/create-signer.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import { chainIds, swapChain } from '../../platform/chains.ts';
import { networkVariable, type Settings, settingVariable } from '../../platform/settings.ts';
import type { ReadRates } from '../../swap/rates.ts';
import { createRatesFile } from '../../swap/rates-file.ts';

/** EIP-155 id of the network with swaps. */
export const swapChainId = chainIds[swapChain];

/** Who quotes, and by what. */
export interface SwapDesk {
  /** The maker of the settlement contract. */
  signer: Pick<Signer, 'address' | 'signTypedData'>;
  settlement: LowerAddress;
  readRates: ReadRates;
  spreadBps: bigint;
  depthUsd: bigint;
  quoteSeconds: number;
}

/** The desk that the settings describe; `undefined` without one. The key is the maker's own and signs nothing but its quotes. */
export async function openSwapDesk(settings: Settings): Promise<SwapDesk | undefined> {
  const { environment, swapSigner, swapSettlement, swapRatesFile } = settings;
  if (environment !== 'sandbox' || missingOf(settings).length > 0) return undefined;
  return {
    signer: await createSigner(swapSigner as string, { environment, keystorePassword: settings.swapKeystorePassword }),
    settlement: swapSettlement as LowerAddress,
    readRates: createRatesFile({ file: swapRatesFile as string, maxAgeSeconds: settings.swapRatesMaxAgeSeconds }),
    spreadBps: BigInt(settings.swapSpreadBps),
    depthUsd: BigInt(settings.swapDepthUsd),
    quoteSeconds: settings.swapQuoteSeconds,
  };
}

/** The settings without which there is no desk. */
export function missingOf(settings: Settings): string[] {
  const needed = ['swapSigner', 'swapSettlement', 'swapRatesFile'] as const;
  const tokens = settings.networks[swapChain] ? [] : [networkVariable(swapChain, 'tokens')];
  return [...tokens, ...needed.filter((name) => settings[name] === undefined).map(settingVariable)];
}
