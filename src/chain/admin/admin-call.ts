import { type Address, getAddress, type Hex, isAddressEqual } from 'viem';
import { chainFacts } from '../../platform/chains.ts';
import { tokenSymbol } from '../../platform/money.ts';
import type { AdministeredToken } from '../token/administered-token.ts';
import { decodeTimelockStep, type TimelockStep } from './timelock.ts';
import { decodeChange, describeChange, type TokenChange } from './token-change.ts';

/** What a call to a token or to a timelock does. */
export interface AdminCall {
  change: TokenChange;
  /** Present when the call goes to a timelock, which makes the change. */
  timelock?: { address: Address; step: TimelockStep };
}

/** Reads a call that changes the token. Undefined for any other call: nobody should sign what cannot be said in words. */
export function decodeAdminCall(to: Address, data: Hex, token: AdministeredToken): AdminCall | undefined {
  if (isAddressEqual(to, token.address)) {
    const change = decodeChange(data);
    return change && { change };
  }
  const step = decodeTimelockStep(data);
  if (!step || !isAddressEqual(step.operation.target, token.address)) return undefined;
  const change = decodeChange(step.operation.data);
  return change && { change, timelock: { address: getAddress(to), step } };
}

/** What the call does, in words for whoever signs it. They follow from the call alone. */
export function describeAdminCall({ change, timelock }: AdminCall, { chain, currency, address }: AdministeredToken): string {
  const { name, id } = chainFacts(chain);
  const what = describeChange(change, currency);
  return `${tokenSymbol(currency)} ${getAddress(address)} on ${name} (chain id ${id}): ${timelock ? `${describeStep(timelock)}: ${what}` : what}`;
}

function describeStep({ address, step }: { address: Address; step: TimelockStep }): string {
  if (step.step === 'execute') return `carry out what has waited in the timelock ${getAddress(address)}`;
  return `let it wait ${step.delay} s in the timelock ${getAddress(address)}, and do not do it yet`;
}
