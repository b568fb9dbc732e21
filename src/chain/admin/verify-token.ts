import { type Address, getAddress, type Hex, keccak256 } from 'viem';
import { readCode, readImplementation } from '../contract.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { timelockRoles } from '../token/roles.ts';
import { readTokenState, roleCandidates } from '../token/state.ts';
import { type ReleaseContract, releaseCodeAt } from './release-code.ts';
import { readTimelockDelay } from './timelock.ts';

/** How the code of a contract compares with that of this release; `unknown` where there is no code to compare. */
type CodeVerdict = 'the same' | 'differs' | 'unknown';

/** The comparison of one contract of a token. Hashes are keccak256 of the runtime code. */
export interface VerifiedContract {
  contract: ReleaseContract;
  /** Undefined where the token is no proxy and has no implementation. */
  address: Address | undefined;
  verdict: CodeVerdict;
  hash: Hex | undefined;
  /** What this release would have at this address. */
  releaseHash: Hex | undefined;
}

/**
 * Compares the code of a token on one node with that of this release: its proxy, the implementation to which that points, and every timelock that may
 * upgrade it or set allowances. `fromBlock` is where reading the grants of roles begins. Throws when the node does not answer.
 */
export async function verifyToken(rpc: Rpc, token: Address, fromBlock: bigint): Promise<VerifiedContract[]> {
  const proxy = await verifyContract(rpc, 'proxy', token);
  const implementation = proxy.hash === undefined ? undefined : await readImplementation(rpc, token);
  if (!implementation)
    return [proxy, { contract: 'implementation', address: undefined, verdict: 'unknown', hash: undefined, releaseHash: undefined }];
  const code = await verifyContract(rpc, 'implementation', getAddress(implementation));
  // Code that is not known need not have roles that can be read.
  const timelocks = code.verdict === 'the same' ? await timelocksOf(rpc, token, fromBlock) : [];
  const verified = [proxy, code];
  for (const timelock of timelocks) verified.push(await verifyContract(rpc, 'timelock', timelock));
  return verified;
}

async function verifyContract(rpc: Rpc, contract: ReleaseContract, address: Address): Promise<VerifiedContract> {
  const release = releaseCodeAt(contract, address);
  const code = (await readCode(rpc, address)).toLowerCase() as Hex;
  const releaseHash = keccak256(release);
  if (code === '0x') return { contract, address, verdict: 'unknown', hash: undefined, releaseHash };
  return { contract, address, verdict: code === release ? 'the same' : 'differs', hash: keccak256(code), releaseHash };
}

async function timelocksOf(rpc: Rpc, token: Address, fromBlock: bigint): Promise<Address[]> {
  const { roles } = await readTokenState(rpc, token, await roleCandidates(rpc, token, fromBlock));
  const timelocks: Address[] = [];
  for (const holder of new Set(timelockRoles.flatMap((role) => roles[role] ?? [])))
    if ((await readCode(rpc, holder)) !== '0x' && (await readTimelockDelay(rpc, holder)) !== undefined) timelocks.push(holder);
  return timelocks;
}
