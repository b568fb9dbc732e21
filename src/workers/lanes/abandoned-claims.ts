import type { Pool } from 'pg';
import { laneLock } from '../../ledger/advisory-locks.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { claimingSigners, releaseClaims } from '../../ledger/lanes/legs.ts';
import { tryAdvisoryLock } from '../../platform/advisory-lock.ts';

/**
 * Gives back what lanes claimed that nobody runs any more: a worker died between claim and signature, and its signer is out of
 * reach since, or was replaced by another. Whoever holds a lane's lock may do so: nothing of a claim is on its way.
 */
export async function releaseAbandonedClaims(ledger: Ledger, pool: Pool, chain: Chain): Promise<void> {
  for (const signer of await claimingSigners(ledger, chain)) {
    const lock = await tryAdvisoryLock(pool, laneLock(chain, signer));
    if (!lock) continue;
    try {
      await releaseClaims(ledger, chain, signer);
    } finally {
      await lock.release();
    }
  }
}
