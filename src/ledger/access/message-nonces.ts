import type { LowerAddress } from '../../platform/addresses.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { clearExpired } from './expired-rows.ts';

/** A signed message that is good once, until a time. */
export interface SignedOnce {
  address: LowerAddress;
  purpose: 'sign-in' | 'link';
  nonce: string;
  /** A time, or as RFC 3339. */
  expiresAt: Date | string;
}

/** Uses up the nonce of a message. Returns false when it was used before. */
export async function takeNonce(tx: LedgerTransaction, message: SignedOnce): Promise<boolean> {
  const taken = await tx
    .insertInto('messageNonces')
    .values(message)
    .onConflict((conflict) => conflict.doNothing())
    .returning('nonce')
    .executeTakeFirst();
  await clearExpired(tx, 'messageNonces');
  return taken !== undefined;
}
