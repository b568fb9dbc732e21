import { createSigner } from '../../chain/signers/create-signer.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { StopError } from '../../platform/errors.ts';
import { type Environment, loadSomeSettings, type NetworkSettings, networkVariable } from '../../platform/settings.ts';

/** Opens the signer that pays for deployments on a network. Throws `no_deployer`, and what the signer throws. */
export async function openDeployer({ chain, deployer, keystorePassword }: NetworkSettings, env: Environment): Promise<Signer> {
  const { environment } = loadSomeSettings(['environment'], env);
  if (deployer) return createSigner(deployer, { environment, keystorePassword });
  throw new StopError({
    code: 'no_deployer',
    message: `No account pays for the deployment: set ${networkVariable(chain, 'deployer')} to a signer`,
  });
}
