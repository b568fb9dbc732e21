import { readFileSync } from 'node:fs';
import { StopError } from '../../platform/errors.ts';
import { type NetworkSettings, type Settings, networkVariable } from '../../platform/settings.ts';
import { createKmsSigner } from './aws-kms.ts';
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
    file: async (path: string) => {
      const [key = '', ...others] = readKeys(path);
      if (others.length === 0) return createKeySigner(key);
      throw new StopError({ code: 'invalid_settings', message: `${path} holds ${others.length + 1} keys, and one is expected` });
    },
  }),
);

/**
 * The signer that a reference names: `keystore:PATH`, `awskms:KEY`, `web3signer:URL/0xADDRESS`, or a raw key as `0x…` or
 * `file:PATH`, which only the sandbox accepts. Throws StopError when the reference or what it names is wrong, RetryError when the key's service
 * is unreachable. No message contains a key or a password.
 */
export async function createSigner(reference: string, options: SignerOptions): Promise<Signer> {
  const problem = referenceProblem(reference, options.environment);
  if (problem !== undefined) throw problem;
  const create = kindOf(reference);
  return create === undefined ? createKeySigner(reference) : create(reference.slice(reference.indexOf(':') + 1), options);
}

/** The references of a network's signers, one for each lane. Throws `invalid_settings`. */
export function signerReferences({ chain, signers }: NetworkSettings): string[] {
  const references = signers.flatMap(expandReference);
  if (references.length > 0) return references;
  throw new StopError({ code: 'invalid_settings', message: `${chain} has no signer: set ${networkVariable(chain, 'signers')}` });
}

/** The references that a reference stands for: all keys of a file of raw keys, else itself. Throws `invalid_settings`. */
export function expandReference(reference: string): string[] {
  return reference.startsWith('file:') ? readKeys(reference.slice('file:'.length)) : [reference];
}

/** What is wrong with the form of a reference, in an error without it: it may be a key. Undefined for a sound one; nothing is opened. */
export function referenceProblem(reference: string, environment: SignerOptions['environment']): StopError | undefined {
  const isRawKey = /^(0x|file:)/.test(reference);
  if (isRawKey && environment !== 'sandbox')
    return new StopError({
      code: 'invalid_settings',
      message:
        'A raw private key (0x… or file:PATH) signs in the sandbox only: in production name an encrypted keystore (keystore:PATH), a key in AWS KMS (awskms:KEY) or a remote signer (web3signer:URL/0xADDRESS)',
    });
  return reference.startsWith('0x') || kindOf(reference) !== undefined ? undefined : unknownKind();
}

function kindOf(reference: string) {
  const at = reference.indexOf(':');
  return at > 0 && at + 1 < reference.length ? kinds.get(reference.slice(0, at)) : undefined;
}

function unknownKind(): StopError {
  return new StopError({
    code: 'invalid_settings',
    message: 'A signer is one of keystore:PATH, awskms:KEY and web3signer:URL/0xADDRESS, or in the sandbox 0x… and file:PATH',
  });
}

/** The raw keys in a file, separated by white space or commas. Throws `invalid_settings` when there is none or the file is unreadable. */
function readKeys(path: string): string[] {
  const keys = readText(path)
    .split(/[\s,]+/)
    .filter(Boolean);
  if (keys.length > 0) return keys;
  throw new StopError({ code: 'invalid_settings', message: `There is no signer key in ${path}` });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StopError({ code: 'invalid_settings', message: `The signer keys cannot be read from ${path} (${code})` });
  }
}
