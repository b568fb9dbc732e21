import { type Address, decodeFunctionResult, encodeFunctionData, getAddress, type Hex } from 'viem';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { isReleaseCode } from '../../src/chain/admin/implementation-code.ts';
import { implementationSlot } from '../../src/chain/contract.ts';
import type { Chain } from '../../src/platform/chains.ts';
import { StopError } from '../../src/platform/errors.ts';
import type { Currency } from '../../src/platform/money.ts';
import type { Upstream } from './upstream.ts';
import { UpstreamAnswerError } from './upstream-errors.ts';

/** A token of a live network that a fork is to use, and the last block that the fork has. */
export interface TokenToCheck {
  chain: Chain;
  block: number;
  currency: Currency;
  token: Address;
}

/**
 * Checks on the live network that a token can be used: its code is that of this release, because the ledger depends on every detail of it, and it is
 * of the right currency. Throws `bad_input`.
 */
export async function checkToken(upstream: Upstream, { chain, block, currency, token }: TokenToCheck): Promise<void> {
  const at = `0x${block.toString(16)}`;
  const refuse = (what: string): StopError =>
    new StopError({
      code: 'bad_input',
      message: `The token ${token} of ${chain} cannot be used for ${currency}: ${what}. A fork can use Mintrail's own token contract in the code of this release; leave --token out, and the sandbox deploys a token of its own on the fork`,
    });
  if ((await upstream.request('eth_getCode', [token, at])) === '0x') throw refuse(`there is no contract at block ${block}`);
  const word = (await upstream.request('eth_getStorageAt', [token, implementationSlot, at])) as Hex;
  const implementation = getAddress(`0x${word.slice(2).padStart(64, '0').slice(24)}`);
  const code = (await upstream.request('eth_getCode', [implementation, at])) as Hex;
  if (!isReleaseCode(implementation, code)) throw refuse('its code is not that of this release of Mintrail');
  const letters = await currencyOf(upstream, token, at);
  if (letters !== currency.toUpperCase()) throw refuse(`it is a token of ${letters ?? 'no currency'}`);
}

async function currencyOf(upstream: Upstream, token: Address, at: string): Promise<string | undefined> {
  const call = { to: token, data: encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'currency' }) };
  try {
    const data = (await upstream.request('eth_call', [call, at])) as Hex;
    return decodeFunctionResult({ abi: eMoneyTokenAbi, functionName: 'currency', data });
  } catch (error) {
    if (error instanceof UpstreamAnswerError) return undefined;
    throw error;
  }
}
