import { StopError } from '../../platform/errors.ts';
import { type NetworkSettings, type Settings, networkVariable } from '../../platform/settings.ts';
import { createKmsSigner } from './aws-kms.ts';
import { readKeys } from './key-file.ts';
import { createKeystoreSigner } from './keystore.ts';
import { readPassword } from './password.ts';
import { createKeySigner } from './raw-key.ts';
import type { Signer } from './signer.ts';
import { createWeb3signer } from './web3signer.ts';

/** What decides which signers may be created and how keystores are opened. */
export interface SignerOptions {
  /** Raw keys sign in the sandbox only. */
  environment: Settings['environment'];
  /** Password of keystores, or `file:PATH` of a file that holds it. */
  keystorePassword?: string | undefined;
  /** The variable that has it, for messages. */
  passwordVariable?: string | undefined;
}

/** Creates a signer from the part of a reference behind the colon, by its kind. */
const kinds = new Map<string, (rest: string, options: SignerOptions) => Promise<Signer>>(
  Object.entries({
    keystore: (path: string, { keystorePassword, passwordVariable }: SignerOptions) =>
      createKeystoreSigner(path, readPassword(keystorePassword, passwordVariable)),
    awskms: (key: string) => createKmsSigner(key),
    web3signer: (location: string) => createWeb3signer(location),
    file: async (path: string, { environment }: SignerOptions) => {
      refuseInProduction(environment);
      const [key = '', ...others] = readKeys(path);
      if (others.length === 0) return createKeySigner(key);
      throw new StopError({ code: 'invalid_signer', message: `${path} holds ${others.length + 1} keys, and one is expected` });
    },
  }),
);

/**
 * The signer that a reference names: `keystore:PATH`, `awskms:KEY`, `web3signer:URL/0xADDRESS`, or a raw key as `0x…` or
 * `file:PATH`, which only the sandbox accepts. Throws StopError when the reference or what it names is wrong, RetryError when the key's service
 * is unreachable. No message contains a key or a password.
 */
export async function createSigner(reference: string, options: SignerOptions): Promise<Signer> {
  if (reference.startsWith('0x')) {
    refuseInProduction(options.environment);
    return createKeySigner(reference);
  }
  const at = reference.indexOf(':');
  const create = at > 0 && at + 1 < reference.length ? kinds.get(reference.slice(0, at)) : undefined;
  if (create) return create(reference.slice(at + 1), options);
  // The message does not repeat the reference, which may be a key without its 0x.
  throw new StopError({
    code: 'invalid_signer',
    message: 'A signer is one of keystore:PATH, awskms:KEY and web3signer:URL/0xADDRESS, or in the sandbox 0x… and file:PATH',
  });
}

/** The references of a network's signers, one for each lane. Throws `no_signer`. */
export function signerReferences({ chain, signers }: NetworkSettings): string[] {
  const references = signers.flatMap(expandReference);
  if (references.length > 0) return references;
  throw new StopError({ code: 'no_signer', message: `${chain} has no signer: set ${networkVariable(chain, 'signers')}` });
}

/** The references that a reference stands for: all keys of a file of raw keys, else itself. Throws `no_signer`. */
export function expandReference(reference: string): string[] {
  return reference.startsWith('file:') ? readKeys(reference.slice('file:'.length)) : [reference];
}

function refuseInProduction(environment: SignerOptions['environment']): void {
  if (environment === 'sandbox') return;
  throw new StopError({
    code: 'raw_key_in_production',
    message:
      'A raw private key (0x… or file:PATH) signs in the sandbox only: in production name an encrypted keystore (keystore:PATH), a key in AWS KMS (awskms:KEY) or a remote signer (web3signer:URL/0xADDRESS)',
  });
}
