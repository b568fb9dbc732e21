import { type Address, getAddress, isAddressEqual } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { deployOnce } from '../../chain/deploy/deploy-once.ts';
import { deploySafeContracts, findMissingSafeContract } from '../../chain/deploy/safe-contracts.ts';
import { planSafe } from '../../chain/deploy/safe-plan.ts';
import { createRpc, type Rpc } from '../../chain/endpoints/rpc.ts';
import { readSafe, type SafeAccount } from '../../chain/safe-account.ts';
import { type Chain, chainFacts } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { type Environment, loadNetwork, type NetworkSettings } from '../../platform/settings.ts';
import { withoutUrlSecrets } from '../../platform/url-secrets.ts';
import { withAnsweringEndpoints } from '../../chain/admin/answering-endpoints.ts';
import { openDeployer } from '../token/open-signers.ts';

/** Options of `mintrail safe create`. */
export interface CreateSafeOptions {
  chain: Chain;
  owner: Address[];
  threshold: number;
  salt?: bigint;
  yes?: boolean;
  json?: boolean;
}

/** A step that is about to be taken. */
export type SafeIntention =
  | { step: 'deploy contracts'; endpoint: string }
  | { step: 'create'; address: Address; payer: Address; exists: SafeAccount | undefined };

/** A Safe, and whether it was created now; `block` is then the one that holds it. */
export interface CreatedSafe {
  address: Address;
  created: boolean;
  block: bigint | undefined;
  safe: SafeAccount;
}

/**
 * Creates a Safe unless it exists. Calls `confirm`, which throws to stop, before each step. It can be interrupted at any moment and run again: the
 * same options make the same Safe, never a second one. Throws `not_possible` where Safe's contracts are missing on a chain that is not a local
 * one, `invalid_settings`, what `deployOnce` throws, and the errors of the chain's client.
 */
export async function createSafeOnce(
  { chain, owner, threshold, salt = 0n }: CreateSafeOptions,
  env: Environment,
  confirm: (intention: SafeIntention) => Promise<void>,
): Promise<CreatedSafe> {
  const network = loadNetwork(chain, env);
  const signer = await openDeployer(network, env);
  const answering = await withAnsweringEndpoints(network);
  const rpc = createRpc(answering);
  await requireSafeContracts(rpc, answering, confirm);
  const { address, creation } = await planSafe(rpc, { chainId: chainFacts(chain).id, owners: owner, threshold, saltNonce: salt });
  const exists = creation ? undefined : await readCreated(rpc, address);
  await confirm({ step: 'create', address, payer: getAddress(signer.address), exists });
  if (!creation) return { address, created: false, block: undefined, safe: await readCreated(rpc, address) };
  const result = await deployOnce({ rpc, chain, signer }, creation);
  const safe = await readCreated(rpc, address);
  requireAsPlanned(address, safe, { owner, threshold });
  const created = result !== 'already deployed';
  return { address, created, block: created ? result.block : undefined, safe };
}

/** On a local chain the contracts are deployed, which costs nothing there. */
async function requireSafeContracts(
  rpc: Rpc,
  network: NetworkSettings,
  confirm: (intention: SafeIntention) => Promise<void>,
): Promise<void> {
  const missing = await findMissingSafeContract(rpc);
  if (missing === undefined) return;
  const { chain, rpcUrls } = network;
  const { name, id: chainId } = chainFacts(chain);
  const [url = ''] = rpcUrls;
  const endpoint = withoutUrlSecrets(url);
  if (!(await isLocalChain(rpc)))
    throw new StopError({
      code: 'not_possible',
      message: `${name} has no contracts of Safe: the endpoint ${endpoint} serves its chain id ${chainId}, and has no contract at ${missing}. Ask another endpoint of this chain; if it says the same, Safe has to deploy its contracts there first (https://github.com/safe-global/safe-smart-account), or another account administers the token (mintrail token deploy --allow-account)`,
    });
  await confirm({ step: 'deploy contracts', endpoint });
  const payer = privateKeyToAccount(generatePrivateKey());
  await rpc.request({ method: 'anvil_setBalance', params: [payer.address, '0x56bc75e2d63100000'] } as never);
  await deploySafeContracts({ url, chainId, payer });
}

/** Whether the node is an Anvil, which makes money and code of nothing. Throws when it does not answer. */
async function isLocalChain(rpc: Rpc): Promise<boolean> {
  const version = await rpc.request({ method: 'web3_clientVersion' });
  return /^anvil\//i.test(version);
}

async function readCreated(rpc: Rpc, address: Address): Promise<SafeAccount> {
  const safe = await readSafe(rpc, address);
  if (safe) return safe;
  throw new StopError({
    code: 'not_possible',
    message: `There is a contract at ${address} that is no Safe. Do not use it, and investigate`,
  });
}

/** Compares the new Safe with the options. A difference is a bug of this program or of the node. */
function requireAsPlanned(address: Address, safe: SafeAccount, { owner, threshold }: Pick<CreateSafeOptions, 'owner' | 'threshold'>): void {
  const isAsPlanned =
    safe.threshold === threshold &&
    safe.owners.length === owner.length &&
    owner.every((account) => safe.owners.some((present) => isAddressEqual(present, account)));
  if (isAsPlanned) return;
  throw new StopError({
    code: 'not_possible',
    message: `The Safe ${address} has other owners or another threshold than the command named. Do not use it, and investigate`,
  });
}
