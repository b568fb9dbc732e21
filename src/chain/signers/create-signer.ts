import { StopError } from '../../platform/errors.ts';
import type { NetworkSettings, Settings } from '../../platform/settings.ts';
import { readKeys } from './key-file.ts';
import { createKeySigner } from './raw-key.ts';
import type { Signer } from './signer.ts';

export interface SignerOptions {
  /** In production no key lies about readable. */
  environment: Settings['MINTRAIL_ENVIRONMENT'];
  /** Password of keystores, or `file:PATH` of a file that holds it. */
  keystorePassword?: string | undefined;
}

/**
 * The signer that a reference names: `0x…` or `file:PATH` for a raw key, which only the sandbox takes.
 * Throws StopError when the reference or what it names is wrong, RetryError when its keeper cannot be reached. No key and no
 * password is in any message.
 */
export async function createSigner(reference: string, { environment }: SignerOptions): Promise<Signer> {
  if (reference.startsWith('0x') || reference.startsWith('file:')) {
    refuseInProduction(environment);
    if (reference.startsWith('0x')) return createKeySigner(reference);
    const [key, ...others] = readKeys(reference.slice('file:'.length));
    if (key !== undefined && others.length === 0) return createKeySigner(key);
    throw new StopError({ code: 'invalid_signer', message: `${reference} holds ${others.length + 1} keys where one is asked for` });
  }
  throw new StopError({
    code: 'invalid_signer',
    message: `A signer is none of 0x…, file:PATH, keystore:PATH, awskms:KEY and web3signer:URL/0xADDRESS`,
  });
}

/** The references of a network's signers, one lane each. Throws `no_signer`. */
export function signerReferences({ chain, SIGNERS }: NetworkSettings): string[] {
  const references = SIGNERS.flatMap((entry) => (entry.startsWith('file:') ? readKeys(entry.slice('file:'.length)) : entry));
  if (references.length > 0) return references;
  throw new StopError({ code: 'no_signer', message: `${chain} has no signer: set ${chain.toUpperCase()}_SIGNERS` });
}

function refuseInProduction(environment: SignerOptions['environment']): void {
  if (environment === 'sandbox') return;
  throw new StopError({
    code: 'raw_key_in_production',
    message:
      'A raw private key (0x… or file:PATH) signs in the sandbox only: in production name an encrypted keystore (keystore:PATH), a key in AWS KMS (awskms:KEY) or a remote signer (web3signer:URL/0xADDRESS)',
  });
}
