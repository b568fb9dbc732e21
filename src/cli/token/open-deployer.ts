import { createSigner } from '../../chain/signers/create-signer.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { StopError } from '../../platform/errors.ts';
import { type Environment, loadSomeSettings, type NetworkSettings, networkVariable } from '../../platform/settings.ts';

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
