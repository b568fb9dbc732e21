import type { LowerAddress } from '../platform/addresses.ts';
import { RetryError } from '../platform/errors.ts';
import { type Currency, type TokenUnits, tokenUnits } from '../platform/money.ts';
import type { Chain } from '../platform/chains.ts';
import { networkSettings, type NetworkSettings, type Settings } from '../platform/settings.ts';

/** A first read goes to a live network, which may be slow. */
const timeoutMs = 20_000;

/** The first four bytes of keccak256 of `balanceOf(address)`. */
const balanceOfSelector = '0x70a08231';

/**
 * What an address held of a currency's token before the block from which the token is indexed: zero, except on a fork of a live network that had
 * the token already. Throws `upstream_unavailable`.
 */
export async function readOpeningBalance(network: NetworkSettings, currency: Currency, holder: LowerAddress): Promise<TokenUnits> {
  const {
    chain,
    tokens,
    genesis: { inheritedTokens, openingRpcUrl },
    startBlock,
  } = network;
  if (openingRpcUrl === undefined || !inheritedTokens.includes(currency)) return tokenUnits(0n);
  const data = balanceOfSelector + holder.slice(2).padStart(64, '0');
  const params = [{ to: tokens[currency], data }, `0x${(startBlock - 1).toString(16)}`];
  const result = await call(openingRpcUrl, params).catch(() => undefined);
  if (typeof result === 'string' && /^0x[0-9a-f]{64}$/i.test(result)) return tokenUnits(BigInt(result));
  throw new RetryError({
    code: 'upstream_unavailable',
    message: `What ${holder} held of ${currency} before the fork of ${chain} is not known, because its live network does not answer: see mintrail status`,
  });
}

/** What an address held of a currency before its token was indexed, as {@link readOpeningBalance}. */
export type ReadOpening = (chain: Chain, currency: Currency, holder: LowerAddress) => Promise<TokenUnits>;

/** Reads opening balances of every network. */
export function createOpeningReader(settings: Settings): ReadOpening {
  return async (chain, currency, holder) => readOpeningBalance(networkSettings(settings, chain), currency, holder);
}

/** The result of an `eth_call`; undefined for an error. */
async function call(url: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return ((await response.json()) as { result?: unknown }).result;
}
