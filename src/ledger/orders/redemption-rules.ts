import type { Chain } from '../../platform/chains.ts';
import type { StopCode } from '../../platform/error-catalogue.ts';
import { StopError } from '../../platform/errors.ts';
import type { MinorUnits } from '../../platform/money.ts';
import { type Caller, mayActOn, type ProfileOwnership } from '../access/permissions.ts';
import { type FileOwnership, mayUseFile, unknownFile } from '../customers/files.ts';
import type { ProfileState } from '../../schema/states.ts';
import type { RedemptionDraft } from './placement/insert-redemptions.ts';

/** The profile that has linked an address on a chain. */
export interface LinkedProfile extends ProfileOwnership {
  state: ProfileState;
}

/**
 * The profile that may redeem from an address on a chain: the one that has linked it, if the caller may act on it. An address of
 * another caller's profile gives the same error as an unknown one. Throws `address_not_linked`, `profile_not_approved`.
 */
export function requireRedeemer(caller: Caller, chain: Chain, linked: LinkedProfile | undefined): string {
  if (linked === undefined || !mayActOn(caller, linked))
    throw invalidField('address_not_linked', 'address', `is not linked to a profile of the caller on ${chain}`);
  if (linked.state === 'approved') return linked.id;
  throw new StopError({
    code: 'profile_not_approved',
    message: `Only an approved profile may place orders: the profile ${linked.id} is ${linked.state}`,
  });
}

/** A supporting document is a file of the caller. Throws `unknown_file`. */
export function requireDocument(
  caller: Caller,
  { supportingDocument }: Pick<RedemptionDraft, 'supportingDocument'>,
  file: FileOwnership | undefined,
): void {
  if (supportingDocument !== null && (file === undefined || !mayUseFile(caller, file))) throw unknownFile();
}

/** The error `order_conflict`: the id of the order belongs to another order. */
export function orderConflict(): StopError {
  return new StopError({ code: 'order_conflict', message: 'The id is taken by another order' });
}

/** The error `message_already_used`: the signed message has already placed an order of the address. */
export function messageUsed(): StopError {
  return new StopError({
    code: 'message_already_used',
    message: 'Validation errors',
    fields: { message: 'already used' },
    details: {
      message: 'A message authorises one payment: for another one sign a message with another time, which may differ by a second.',
    },
  });
}

/** What an address holds, less what its open orders will burn, covers the amount of a draft. Throws `insufficient_balance`. */
export function requireBalance({ amount }: Pick<RedemptionDraft, 'amount'>, available: MinorUnits): void {
  if (available < BigInt(amount)) throw invalidField('insufficient_balance', 'amount', 'insufficient balance');
}

function invalidField(code: StopCode, field: string, text: string): StopError {
  return new StopError({ code, message: 'Validation errors', fields: { [field]: text } });
}
