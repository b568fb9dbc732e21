import { chainFacts } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import type { SafeAccount } from '../safe-account.ts';
import type { ActingAccount } from './acting-account.ts';
import type { AdministeredToken } from '../token/administered-token.ts';
import { type ChangeRequest, decideChange } from './decide-change.ts';
import { readProposalState } from './execute-proposal.ts';
import { type ImplementationCode, readImplementationCode } from './implementation-code.ts';
import { type PlannedCall, planChange } from './plan-change.ts';
import type { Proposal } from './proposal.ts';
import { requireSupportedVersion } from './safe-transaction.ts';

type ActingSafe = Extract<ActingAccount, { kind: 'safe' }>;

/** A change of a token that the owners of a Safe are to sign. */
export interface ProposedChange {
  /** Without signatures. */
  proposal: Proposal;
  /** The Safe that makes it. */
  safe: SafeAccount;
  /** Present for an upgrade. */
  code: ImplementationCode | undefined;
}

/**
 * Proposes a change of a token to the Safe that may make it, alone or by a timelock, and simulates it. `fromBlock` is where reading the grants of roles
 * begins. Nothing is signed or sent. Throws `not_possible` where no Safe may, and what deciding, planning and simulating the change throw.
 */
export async function proposeChange(
  rpc: Rpc,
  token: AdministeredToken,
  request: ChangeRequest,
  fromBlock: bigint,
): Promise<ProposedChange> {
  const change = await decideChange(rpc, token.address, request);
  const planned = await planChange(rpc, change, { token: token.address, signers: [], fromBlock });
  const { account } = planned;
  if (account.kind === 'key')
    throw new StopError({
      code: 'not_possible',
      message: `${account.address} may make this change by itself, so there is nothing for owners of a Safe to sign`,
    });
  const code = await readImplementationCode(rpc, planned.call.change);
  const proposal = await createProposal(rpc, token, planned, account);
  await readProposalState(rpc, proposal);
  return { proposal, safe: account.safe, code };
}

/** A planned call as the next transaction of its Safe, without signatures. Throws `not_possible`. */
export async function createProposal(
  rpc: Rpc,
  token: AdministeredToken,
  { to, data }: PlannedCall,
  { address, safe }: ActingSafe,
): Promise<Proposal> {
  const version = requireSupportedVersion(address, safe.version);
  const transaction = { chainId: chainFacts(token.chain).id, safe: address, version, to, data, nonce: safe.nonce };
  return { token, transaction, block: await rpc.getBlockNumber({ cacheTime: 0 }), signatures: [] };
}
