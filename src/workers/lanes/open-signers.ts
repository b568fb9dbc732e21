import { createSigner, type SignerOptions } from '../../chain/signers/create-signer.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { MintrailError, messageOf, StopError } from '../../platform/errors.ts';

/** A configured reference with its signer, or with the reason why the signer cannot be reached now. */
export type OpenedSigner = { reference: string } & ({ signer: Signer } | { outage: string });

/**
 * Opens the signers of a network. One that cannot be reached now does not hold up the others: its outage is in the result.
 * `variable` names them in messages. Throws a StopError when a signer is configured wrongly, and `invalid_settings` when two references have one address.
 */
export async function openSigners(
  references: readonly string[],
  options: SignerOptions,
  variable = 'the signers',
): Promise<OpenedSigner[]> {
  const opened = await Promise.all(references.map((reference) => openSigner(reference, options)));
  const addresses = opened.flatMap((result) => ('signer' in result ? result.signer.address : []));
  const duplicate = addresses.find((address, index) => addresses.indexOf(address) !== index);
  if (duplicate === undefined) return opened;
  throw new StopError({ code: 'invalid_settings', message: `Two of ${variable} sign for ${duplicate}: name each once` });
}

async function openSigner(reference: string, options: SignerOptions): Promise<OpenedSigner> {
  try {
    return { reference, signer: await createSigner(reference, options) };
  } catch (error) {
    if (error instanceof MintrailError && error.retryable) return { reference, outage: messageOf(error) };
    throw error;
  }
}
