import { createSigner } from '../../chain/signers/create-signer.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { readSignerArgument } from '../secret-argument.ts';
import { askPassword } from '../signer/keystore-password.ts';
import type { TokenContext } from './token-context.ts';

/**
 * Opens the signers that a command line names, each address once. The password of a keystore comes from a file, else from the network's settings,
 * else from the keyboard. Throws `secret_in_arguments` for a raw key, and what the signers throw.
 */
export async function openSigners(
  references: readonly string[],
  { environment, network }: Pick<TokenContext, 'environment' | 'network'>,
  passwordFile: string | undefined,
): Promise<Signer[]> {
  const signers = new Map<string, Signer>();
  for (const text of references) {
    const reference = readSignerArgument(text).value;
    const isKeystore = reference.startsWith('keystore:');
    const known = passwordFile === undefined ? network.keystorePassword : undefined;
    const keystorePassword = isKeystore ? (known ?? (await askPassword(passwordFile))) : undefined;
    const signer = await createSigner(reference, { environment, keystorePassword });
    signers.set(signer.address, signer);
  }
  return [...signers.values()];
}
