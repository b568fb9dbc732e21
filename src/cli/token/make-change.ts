import { type Hex, isAddressEqual } from 'viem';
import type { ActingAccount } from '../../chain/admin/acting-account.ts';
import { describeAdminCall } from '../../chain/admin/admin-call.ts';
import { type ChangeRequest, decideChange } from '../../chain/admin/decide-change.ts';
import { executeProposal, readProposalState, requireSignatures } from '../../chain/admin/execute-proposal.ts';
import { type ImplementationCode, readImplementationCode, requireAcceptedCode } from '../../chain/admin/implementation-code.ts';
import { type MinedCall, payForCall, requireFreePayer, requireSuccess } from '../../chain/admin/pay-for-call.ts';
import { type PlannedCall, planChange } from '../../chain/admin/plan-change.ts';
import { type Proposal, withSignatures } from '../../chain/admin/proposal.ts';
import { createProposal } from '../../chain/admin/propose-change.ts';
import { simulateCall } from '../../chain/admin/simulate-call.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import type { SafeAccount } from '../../chain/safe-account.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { StopError } from '../../platform/errors.ts';
import { describeCall, describeProposal } from './describe-proposal.ts';
import { createBatchFile, createProposalFile, requireNewFile } from './proposal-file.ts';
import { signAsOwners } from './sign-as-owners.ts';
import type { TokenContext } from './token-context.ts';

/** How a change is to be made. */
export interface ChangeMeans {
  context: TokenContext;
  rpc: Rpc;
  /** Sign, and the first one pays. */
  signers: readonly Signer[];
  /** File for a proposal. With it nothing is sent. */
  propose: string | undefined;
  /** File for the Transaction Builder of Safe's own application. With it nothing is sent, too. */
  safeJson: string | undefined;
  /** keccak256 of the code that an upgrade may put in although this release does not know it. */
  codeHash: Hex | undefined;
  /** Shows what will be signed or sent, and throws to stop. */
  confirm: (lines: readonly string[]) => Promise<void>;
}

/** What became of a change: a transaction, or a proposal of a Safe. */
export interface ChangeOutcome {
  summary: string;
  planned: PlannedCall;
  /** Present for an upgrade. */
  code: ImplementationCode | undefined;
  transaction?: MinedCall;
  proposed?: { proposal: Proposal; safe: SafeAccount };
}

/**
 * Makes a change of a token, or proposes it. Who must act is read from the chain: a key or a Safe, through a timelock where one holds the role.
 * Everything is simulated before anything is signed. Throws `not_possible`, and what the functions of `src/chain/admin/` throw.
 */
export async function makeChange(request: ChangeRequest, means: ChangeMeans): Promise<ChangeOutcome> {
  const { context, rpc, signers, propose, safeJson } = means;
  const { token, network } = context;
  for (const file of [propose, safeJson]) if (file !== undefined) requireNewFile(file);
  const change = await decideChange(rpc, token.address, request);
  const addresses = signers.map(({ address }) => address);
  const planned = await planChange(rpc, change, { token: token.address, signers: addresses, fromBlock: BigInt(network.startBlock) });
  const { account } = planned;
  const code = await readImplementationCode(rpc, planned.call.change);
  // Safe's own application does not look at the code that an upgrade puts in.
  if (signers.length > 0 || safeJson !== undefined) requireAcceptedCode(code, means.codeHash);
  const made =
    account.kind === 'key' ? await makeByKey({ planned, code }, account, means) : await makeBySafe({ planned, code }, account, means);
  return { summary: describeAdminCall(planned.call, token), planned, code, ...made };
}

type Made = Pick<ChangeOutcome, 'transaction' | 'proposed'>;
type Plan = Pick<ChangeOutcome, 'planned' | 'code'>;

async function makeByKey({ planned, code }: Plan, { address }: ActingAccount, means: ChangeMeans): Promise<Made> {
  const { context, rpc, signers, propose, safeJson, confirm } = means;
  const { token } = context;
  if (propose !== undefined || safeJson !== undefined)
    throw new StopError({
      code: 'not_possible',
      message: `${address} may make this change by itself, so there is nothing to propose: leave --propose and --safe-json out`,
    });
  const signer = signers.find((candidate) => isAddressEqual(candidate.address, address)) as Signer;
  const payer = { rpc, chain: token.chain, signer };
  await simulateCall(rpc, { from: address, to: planned.to, data: planned.data }, token);
  await requireFreePayer(payer, token.address);
  await confirm([...describeCall(planned.call, token, code), `by          ${address}`]);
  return { transaction: requireSuccess(payer, await payForCall(payer, planned, token)) };
}

async function makeBySafe({ planned, code }: Plan, account: Extract<ActingAccount, { kind: 'safe' }>, means: ChangeMeans): Promise<Made> {
  const { context, rpc, signers, propose, safeJson, confirm } = means;
  const { token } = context;
  const { safe } = account;
  const unsigned = await createProposal(rpc, token, planned, account);
  await readProposalState(rpc, unsigned);
  if (signers.length > 0) await confirm(describeProposal(unsigned, code));
  const proposal = withSignatures(unsigned, await signAsOwners(unsigned, safe, signers));
  if (propose !== undefined) createProposalFile(propose, proposal);
  if (safeJson !== undefined) createBatchFile(safeJson, proposal);
  if (propose !== undefined || safeJson !== undefined) return { proposed: { proposal, safe } };
  requireSignatures(safe, proposal.signatures);
  return { transaction: await executeProposal({ rpc, chain: token.chain, signer: signers[0] as Signer }, proposal) };
}
