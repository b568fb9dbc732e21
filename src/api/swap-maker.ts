import { createSigner } from '../chain/signers/create-signer.ts';
import type { Signer } from '../chain/signers/signer.ts';
import type { LowerAddress } from '../platform/addresses.ts';
import { chainIds, swapChain } from '../platform/chains.ts';
import { networkVariable, type Settings, settingVariable } from '../platform/settings.ts';
import { createRatesFile, type ReadRates } from '../swap/rates-file.ts';

/** EIP-155 id of the network with swaps. */
export const swapChainId = chainIds[swapChain];

/** What the maker keeps of each swap, in basis points: about what a pool of stable coins charges. Swaps are only in the sandbox, where nobody earns by it. */
const spreadBps = 20n;

/** US dollars; a swap of this value gets half the price, and smaller ones lose proportionally less, as in a pool of a large pair. */
const depthUsd = 10_000_000n;

/** For how long a committed quote is valid: for a person to sign it. */
const quoteSeconds = 60;

/** Everything that is needed to quote swaps. */
export interface SwapMaker {
  /** The maker of the settlement contract. */
  signer: Pick<Signer, 'address' | 'signTypedData'>;
  settlement: LowerAddress;
  readRates: ReadRates;
  spreadBps: bigint;
  depthUsd: bigint;
  quoteSeconds: number;
}

/** Opens what the settings configure; `undefined` where they do not. The signer's key is the maker's own and signs nothing but its quotes. */
export async function openSwapMaker(settings: Settings): Promise<SwapMaker | undefined> {
  const { environment, swapSigner, swapSettlement, swapRatesFile } = settings;
  if (environment !== 'sandbox' || missingVariables(settings).length > 0) return undefined;
  return {
    signer: await createSigner(swapSigner as string, { environment }),
    settlement: swapSettlement as LowerAddress,
    readRates: createRatesFile({ file: swapRatesFile as string, maxAgeSeconds: settings.swapRatesMaxAgeSeconds }),
    spreadBps,
    depthUsd,
    quoteSeconds,
  };
}

/** Names of the variables that are missing to quote swaps. */
export function missingVariables(settings: Settings): string[] {
  const needed = ['swapSigner', 'swapSettlement', 'swapRatesFile'] as const;
  const tokens = settings.networks[swapChain] ? [] : [networkVariable(swapChain, 'tokens')];
  return [...tokens, ...needed.filter((name) => settings[name] === undefined).map(settingVariable)];
}
