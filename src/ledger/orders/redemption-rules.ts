import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Caller } from '../access/permissions.ts';
import type { StopCode } from '../../platform/error-catalogue.ts';
import { StopError } from '../../platform/errors.ts';
import { minorUnits, type TokenUnits, toMinorUnits } from '../../platform/money.ts';
import { findAddress } from '../customers/addresses.ts';
import type { Ledger } from '../ledger.ts';
import { reservedAmount } from './pending-redemptions.ts';
import type { RedemptionDraft } from './place-order.ts';

/** From this amount on an order needs a supporting document, in its currency (docs/api.md, Limits). */
export const documentThreshold = minorUnits(15_000_00n);

/**
 * The profile that may redeem from an address on a chain: the one that has linked it, if the caller may act on it. An address of
 * another caller's profile gives the same error as an unknown one. Throws `address_not_linked`, `profile_not_approved`.
 */
export async function requireRedeemer(ledger: Ledger, caller: Caller, address: LowerAddress, chain: Chain): Promise<string> {
  const linked = await findAddress(ledger, caller, address, chain);
  if (!linked) throw invalidField('address_not_linked', 'address', `is not linked to a profile of the caller on ${chain}`);
  const { state } = await ledger.selectFrom('profiles').where('id', '=', linked.profile).select('state').executeTakeFirstOrThrow();
  if (state === 'approved') return linked.profile;
  throw new StopError({
    code: 'profile_not_approved',
    message: `Only an approved profile may place orders: the profile ${linked.profile} is ${state}`,
  });
}

/**
 * The id of an order is new, and its signed message, which authorises one order of an address, is unused.
 * Throws `order_conflict`, `message_already_used`.
 */
export async function requireUnused(ledger: Ledger, { id, address, digest }: RedemptionDraft): Promise<void> {
  const users = await ledger
    .selectFrom('orders')
    .where((order) => order.or([order('id', '=', id), order.and({ kind: 'redeem', address, digest })]))
    .select('id')
    .execute();
  if (users.some((user) => user.id === id)) throw orderConflict();
  if (users.length > 0) throw messageUsed();
}

/** The error `order_conflict`: the id of the order belongs to another order. */
export function orderConflict(): StopError {
  return new StopError({ code: 'order_conflict', message: 'The id is taken by another order' });
}

/** The error `message_already_used`: the signed message has already placed an order of the address. */
export function messageUsed(): StopError {
  return invalidField('message_already_used', 'message', 'already used');
}

/** What the indexed rows say of an address. */
export interface Holding {
  units: TokenUnits;
  /** Its open orders whose burn is already deducted from `units`. */
  burnt: string[];
}

/**
 * Checks that what an address holds, less what its open orders will burn, covers the amount of a draft. Throws `insufficient_balance`.
 */
export async function requireBalance(ledger: Ledger, draft: RedemptionDraft, { units, burnt }: Holding): Promise<void> {
  const reserved = await reservedAmount(ledger, draft, burnt);
  if (toMinorUnits(units) - reserved < BigInt(draft.amount)) throw invalidField('insufficient_balance', 'amount', 'insufficient balance');
}

function invalidField(code: StopCode, field: string, text: string): StopError {
  return new StopError({ code, message: 'Validation errors', fields: { [field]: text } });
}
