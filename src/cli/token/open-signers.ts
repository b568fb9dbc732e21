import { createSigner } from '../../chain/signers/create-signer.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { StopError } from '../../platform/errors.ts';
import { type Environment, loadSomeSettings, type NetworkSettings, networkVariable } from '../../platform/settings.ts';
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
    const signer = await createSigner(reference, { environment, keystorePassword }).catch((error: unknown) => {
      throw known === undefined ? error : withPasswordOption(error, networkVariable(network.chain, 'keystorePassword'));
    });
    signers.set(signer.address, signer);
  }
  return [...signers.values()];
}

/** Says where else the password of a keystore may come from when that of the network's signers does not open it. */
function withPasswordOption(error: unknown, variable: string): unknown {
  if (!(error instanceof StopError) || error.code !== 'wrong_keystore_password') return error;
  const message = `${error.message}. It was the password of ${variable}: name the file of another with --password-file`;
  return new StopError({ code: error.code, message, cause: error });
}

/** Opens the signer that pays for deployments on a network; its keystore has a password of its own. Throws `invalid_settings`, and what the signer throws. */
export async function openDeployer({ chain, deployer, deployerPassword }: NetworkSettings, env: Environment): Promise<Signer> {
  const { environment } = loadSomeSettings(['environment'], env);
  if (deployer)
    return createSigner(deployer, {
      environment,
      keystorePassword: deployerPassword,
      passwordVariable: networkVariable(chain, 'deployerPassword'),
    });
  throw new StopError({
    code: 'invalid_settings',
    message: `No account pays for the deployment: set ${networkVariable(chain, 'deployer')} to a signer with some gas money, such as keystore:PATH of mintrail signer create`,
  });
}
