import { encodeFunctionData, type Hex, hexToBool, numberToHex, size } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { type RedeemedItem, slotsReadBeforeAsking } from '../token/storage-slots.ts';
import { type AccountAnswer, outageOf, type StateBlock, type Terms } from './account-probe.ts';

/** What a redemption will ask of an account. */
export interface BurningCall extends RedeemedItem {
  token: Hex;
}

/** Calls that are made at the same time: each is a request of its own, and anybody may have hundreds of signatures looked at. */
const atOnce = 16;

/**
 * Asks tokens about accounts as the redemptions of these orders will, each alone in its transaction: called by the operator itself, creating nothing, and with
 * what the token has read of its storage by then, because an account can see by the gas of its own calls what was read before. Costs a request for each
 * account, so it is for those that the probe believes. Never throws.
 */
export async function askAsBurning(rpc: Rpc, terms: Terms, calls: readonly BurningCall[], block: StateBlock): Promise<AccountAnswer[]> {
  const answers: AccountAnswer[] = [];
  for (let start = 0; start < calls.length; start += atOnce)
    answers.push(...(await Promise.all(calls.slice(start, start + atOnce).map((call) => askOne(rpc, terms, call, block)))));
  return answers;
}

async function askOne(rpc: Rpc, { from, gasPrice, gas }: Terms, call: BurningCall, block: StateBlock): Promise<AccountAnswer> {
  const { token, account, messageHash, signature } = call;
  const data = encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'isApproved', args: [account, messageHash, signature] });
  const accessList = [{ address: token, storageKeys: slotsReadBeforeAsking(from, call) }];
  const request = { from, to: token, gasPrice: numberToHex(gasPrice), gas: numberToHex(gas), data, accessList };
  const tag = typeof block === 'bigint' ? numberToHex(block) : block;
  try {
    const result = await rpc.request({ method: 'eth_call', params: [request, tag] });
    if (size(result) !== 32) throw new Error('the node did not answer for the token');
    return hexToBool(result, { size: 32 }) ? 'yes' : 'no';
  } catch (error) {
    return { outage: outageOf(error) };
  }
}
