import type { Pool } from 'pg';
import { laneLock } from '../../ledger/advisory-locks.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { claimingSigners, releaseClaims } from '../../ledger/lanes/legs.ts';
import { tryAdvisoryLock } from '../../platform/postgres/advisory-lock.ts';

/**
 * Gives back the claims of lanes that no worker holds any more: a worker died between claim and signature, and its signer has been out
 * of reach since, or was replaced by another. Holding a lane's lock proves that it is safe: a claimed leg was never sent.
 */
export async function releaseAbandonedClaims(ledger: Ledger, directPool: Pool, chain: Chain): Promise<void> {
  for (const signer of await claimingSigners(ledger, chain)) {
    const lock = await tryAdvisoryLock(directPool, laneLock(chain, signer));
    if (!lock) continue;
    try {
      await releaseClaims(ledger, chain, signer);
    } finally {
      await lock.release();
    }
  }
}
