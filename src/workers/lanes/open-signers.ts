import { createSigner, type SignerOptions } from '../../chain/signers/create-signer.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { MintrailError, messageOf, StopError } from '../../platform/errors.ts';

/** What a reference led to: its signer, or the reason why it cannot be reached now. */
export type OpenedSigner = { reference: string } & ({ signer: Signer } | { outage: string });

/**
 * Makes the signers of a network. One that cannot be reached now is told with the reason, and holds up none of the others.
 * Throws StopError when a signer is configured wrongly, or twice.
 */
export async function openSigners(references: readonly string[], options: SignerOptions): Promise<OpenedSigner[]> {
  const opened = await Promise.all(references.map((reference) => openSigner(reference, options)));
  const addresses = opened.flatMap((one) => ('signer' in one ? one.signer.address : []));
  const twice = addresses.find((address, index) => addresses.indexOf(address) !== index);
  if (twice === undefined) return opened;
  throw new StopError({ code: 'duplicate_signer', message: `Two of the network's SIGNERS sign for ${twice}: name each once` });
}

async function openSigner(reference: string, options: SignerOptions): Promise<OpenedSigner> {
  try {
    return { reference, signer: await createSigner(reference, options) };
  } catch (error) {
    if (error instanceof MintrailError && error.retryable) return { reference, outage: messageOf(error) };
    throw error;
  }
}
