import type { Address } from 'viem';
import { eMoneyTokenBytecode } from '../../../abis/bytecode.ts';
import { create2 } from '../../chain/deploy/create2.ts';
import { deployOnce } from '../../chain/deploy/deploy-once.ts';
import { hasCode } from '../../chain/contract.ts';
import { chainFacts } from '../../platform/chains.ts';
import type { ReadRequest } from './change.ts';
import { openDeployer } from './open-signers.ts';
import { requireFactory } from './require-factory.ts';

/** The request of an upgrade to an implementation; without one to that of this release, which is deployed unless it is already. Throws what `deployOnce` throws. */
export function upgradeRequest(implementation: Address | undefined): ReadRequest {
  return async ({ network, variables }, rpc, confirm) => {
    if (implementation) return { kind: 'upgrade', implementation };
    const deployment = create2(eMoneyTokenBytecode);
    if (!(await hasCode(rpc, deployment.address))) {
      const signer = await openDeployer(network, variables);
      await requireFactory(rpc, network);
      await confirm([
        `The code of this release will be deployed at ${deployment.address} on ${chainFacts(network.chain).name}; ${signer.address} pays`,
      ]);
      await deployOnce({ rpc, chain: network.chain, signer }, deployment);
    }
    return { kind: 'upgrade', implementation: deployment.address };
  };
}
