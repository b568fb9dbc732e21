import type { LowerAddress } from '../../platform/addresses.ts';
import { StopError } from '../../platform/errors.ts';
import { takeNonce } from '../access/message-nonces.ts';
import type { LedgerTransaction } from '../ledger.ts';

/**
 * What shows that an address belongs to a profile (docs/api.md, Addresses). The fixed sentence is the same for every service and profile, so
 * its signature may come from somebody who has only seen it; an approval of it on chain is for whoever asks. A linking message names the service
 * and the profile, so whoever signed it meant them.
 */
export type LinkProof =
  | { kind: 'sentence on chain' }
  | { kind: 'sentence'; signer: Signer }
  | {
      kind: 'message';
      signer: Signer;
      nonce: string;
      /** When the message stops being accepted, as RFC 3339: its nonce is kept until then. */
      acceptedUntil: string;
    };

/** A key proves the address on every network, a contract on its own. */
type Signer = 'key' | 'contract';

/** What proves less stands before what proves more. */
const kinds: readonly LinkProof['kind'][] = ['sentence on chain', 'sentence', 'message'];

/** The kind that proves more. */
export function betterProof(kind: LinkProof['kind'], other: LinkProof['kind'] = kind): LinkProof['kind'] {
  return kinds.indexOf(kind) > kinds.indexOf(other) ? kind : other;
}

/** The error `message_already_used`: another link has used the nonce of the linking message. */
export function linkMessageUsed(): StopError {
  return new StopError({
    code: 'message_already_used',
    message: 'Validation errors',
    fields: { message: 'already used' },
    details: { message: 'A linking message is good for one link: sign one with another nonce.' },
  });
}

/** Uses up the nonce of a linking message. Throws `message_already_used` when another link has used it. */
export async function useNonce(tx: LedgerTransaction, address: LowerAddress, proof: LinkProof): Promise<void> {
  if (proof.kind !== 'message') return;
  if (!(await takeNonce(tx, { address, purpose: 'link', nonce: proof.nonce, expiresAt: proof.acceptedUntil }))) throw linkMessageUsed();
}
