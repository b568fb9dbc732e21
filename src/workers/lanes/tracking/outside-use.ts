import type { LowerAddress } from '../../../platform/addresses.ts';
import type { NetworkSettings } from '../../../platform/settings.ts';
import type { Alarms } from '../../alarms.ts';

/** How long an operator is shown that a key was used elsewhere, after the last time. */
const shownForSeconds = 3_600;

/** Nonces that another program used, and the hash of its transaction where it is known. */
export interface UsedElsewhere {
  from: bigint;
  upTo: bigint;
  hash: string | undefined;
}

/** Shows the operator that a signer's key is used outside of this ledger. */
export interface OutsideUse {
  /** Raises the alarm at the head `block`. */
  report(used: UsedElsewhere, block: bigint): void;
  /** Ends the alarm when nothing was reported for long enough. */
  expire(block: bigint): void;
}

/** Creates the alarm of one lane. */
export function createOutsideUse({
  alarms,
  signer: { address },
  network,
}: {
  alarms: Alarms;
  signer: { address: LowerAddress };
  network: NetworkSettings;
}): OutsideUse {
  const shownForBlocks = BigInt(Math.ceil(shownForSeconds / network.blockTimeSeconds));
  let reportedAt: bigint | undefined;
  return {
    report({ from, upTo, hash }, block) {
      reportedAt = block;
      const nonces = from === upTo ? `nonce ${from}` : `nonces ${from} to ${upTo}`;
      const by = hash === undefined ? 'a transaction' : `the transaction ${hash}`;
      alarms.raise(
        'nonce_used_elsewhere',
        address,
        `The key was used outside of this ledger: ${by} that is not ours used ${nonces} of ${address}. Give every program a key of its own; if none ` +
          `of yours sent it, the key is stolen: revoke its operator role (mintrail token revoke) and replace it.`,
      );
    },
    expire(block) {
      // A head that went back begins a new count.
      if (reportedAt !== undefined && block < reportedAt) reportedAt = block;
      if (reportedAt === undefined || block - reportedAt < shownForBlocks) return;
      reportedAt = undefined;
      alarms.clear('nonce_used_elsewhere', address);
    },
  };
}
