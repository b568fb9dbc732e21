import type { LowerAddress } from '../../../platform/addresses.ts';
import type { NetworkSettings } from '../../../platform/settings.ts';
import type { Alarms } from '../../alarms.ts';
import type { NonceUser } from './nonce-user.ts';

/** How long an operator is shown that a key was used elsewhere, after the last time. */
const shownForSeconds = 3_600;

/** Nonces that this ledger did not use, and what used them where it is known. */
interface UsedElsewhere {
  from: bigint;
  upTo: bigint;
  user: NonceUser | undefined;
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
  onReport,
}: {
  alarms: Alarms;
  signer: { address: LowerAddress };
  network: NetworkSettings;
  /** Called with each report. */
  onReport: () => void;
}): OutsideUse {
  const shownForBlocks = BigInt(Math.ceil(shownForSeconds / network.blockTimeSeconds));
  let reportedAt: bigint | undefined;
  return {
    report({ from, upTo, user }, block) {
      reportedAt = block;
      onReport();
      const nonces = from === upTo ? `nonce ${from}` : `nonces ${from} to ${upTo}`;
      alarms.raise(
        'nonce_used_elsewhere',
        address,
        `The key was used outside of this ledger: ${describe(user)} used ${nonces} of ${address}. Give every program a key of its own. If the ` +
          `ledger was restored from an earlier back-up, it has lost the transaction: see mintrail recover. Else the key is stolen: revoke its operator role ` +
          `(mintrail token revoke) and replace it.`,
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

function describe(user: NonceUser | undefined): string {
  if (!user) return 'a transaction that is not ours';
  if (user.hash === undefined)
    return `block ${user.blockNumber}, without a transaction of the key (the account has or had code, EIP-7702),`;
  return `the transaction ${user.hash} that is not ours`;
}
