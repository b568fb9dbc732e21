import { signatureState } from './signature-queries.ts';
import type { Caller } from '../access/permissions.ts';
import type { Ledger } from '../ledger.ts';
import { awaitVerdict, invalidSignature } from './await-verdict.ts';
import type { OrderFacts } from './events.ts';
import { type PlacedRedemption, type RedemptionKey, requirePlaced } from './redemptions.ts';
import { placeBeforeVerdict } from './signature-requests.ts';

/** The order, or that it still waits for its signature. */
export type RedemptionResult = OrderFacts | 'awaits signature';

/**
 * The result of a placed redemption. Waits up to three seconds for the verdict on its signature; after that the order is placed
 * without the verdict and waits for it. Throws `invalid_request` under `signature`, `order_conflict`, `message_already_used`.
 */
export async function redemptionResult(
  ledger: Ledger,
  caller: Caller,
  key: RedemptionKey,
  placed: PlacedRedemption,
): Promise<RedemptionResult> {
  if ('order' in placed) return placed.awaitsSignature ? 'awaits signature' : placed.order;
  const { signatureRequest } = placed;
  if ((await awaitVerdict(ledger, signatureRequest)).state === 'pending') await placeBeforeVerdict(ledger, signatureRequest);
  const { state, reason } = await signatureState(ledger, signatureRequest);
  if (state === 'invalid' || state === 'expired') throw invalidSignature(reason);
  const order = await requirePlaced(ledger, caller, key);
  return state === 'pending' ? 'awaits signature' : order;
}
