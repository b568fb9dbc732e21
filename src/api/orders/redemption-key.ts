import { createHash, randomUUID } from 'node:crypto';
import { hashMessage } from 'viem';
import type { RedemptionKey } from '../../ledger/orders/redemptions.ts';
import type { OrderRequest } from './order-request-schema.ts';

/**
 * The key by which a retry is recognised: the order's id, and a hash of the whole request in its parsed form, so that `10.5` and
 * `10.50` are the same. A request without an id gets a new one, so it never is a retry.
 */
export function redemptionKey({ id, ...order }: OrderRequest): RedemptionKey & { digest: `0x${string}` } {
  const canonical = JSON.stringify({ id, ...order }, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return {
    id: id ?? randomUUID(),
    address: order.address,
    digest: hashMessage(order.message),
    requestHash: createHash('sha256').update(canonical).digest('hex'),
  };
}
