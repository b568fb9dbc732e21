import type { Signer } from '../../chain/signers/signer.ts';
import { testSigner } from '../../chain/signers/test-signer.ts';
import { MintrailError, messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';

/** Pause before a signer that failed is tried again. */
const retryIntervalMs = 1_000;

/** A lane's signer that knows whether it works. */
export interface WatchedSigner extends Signer {
  /** Why its last signature failed; undefined when it did not. */
  outage(): string | undefined;
  /** Whether its last signature succeeded. During an outage it first makes a test signature, at most once a second. */
  signs(): Promise<boolean>;
}

/** Watches a signer: an outage is logged when it begins, changes and ends, and shown to the operator while it lasts. */
export function watchSigner(signer: Signer, log: Log): WatchedSigner {
  let outage: string | undefined;
  let triedAt = 0;

  async function watched<T>(call: () => Promise<T>): Promise<T> {
    try {
      const signed = await call();
      if (outage !== undefined) log.info({ signer: signer.address }, 'the signer signs again');
      outage = undefined;
      return signed;
    } catch (error) {
      const isOutage = error instanceof MintrailError && error.retryable;
      if (outage !== messageOf(error)) {
        const text = 'the signer does not sign: nothing of its lane goes out until it does';
        log[isOutage ? 'warn' : 'error']({ signer: signer.address, err: error }, text);
      }
      outage = messageOf(error);
      triedAt = Date.now();
      throw error;
    }
  }

  const watching: WatchedSigner = {
    address: signer.address,
    kind: signer.kind,
    sign: (transaction) => watched(() => signer.sign(transaction)),
    signTypedData: (typedData) => watched(() => signer.signTypedData(typedData)),
    outage: () => outage,
    async signs() {
      if (outage === undefined) return true;
      if (Date.now() < triedAt + retryIntervalMs) return false;
      return testSigner(watching).then(
        () => true,
        () => false,
      );
    },
  };
  return watching;
}
