import type { Hex } from 'viem';
import { connectToToken } from '../../chain/admin/connect-to-token.ts';
import { readProposalState } from '../../chain/admin/execute-proposal.ts';
import {
  type ImplementationCode,
  implementationByAddress,
  readImplementationCode,
  requireAcceptedCode,
} from '../../chain/admin/implementation-code.ts';
import { callOf, type Proposal, summaryOf, withSignatures } from '../../chain/admin/proposal.ts';
import { hashSafeTransaction } from '../../chain/admin/safe-transaction.ts';
import { translateRpcErrors } from '../../chain/node-answer.ts';
import type { SafeAccount } from '../../chain/safe-account.ts';
import { transactionUrl } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { networkVariable } from '../../platform/settings.ts';
import { confirmOrStop, requireYesWithJson } from '../confirmation.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { describeProposal } from './describe-proposal.ts';
import { openSigners } from './open-signers.ts';
import { readProposalFile, replaceProposalFile } from './proposal-file.ts';
import { signAsOwners } from './sign-as-owners.ts';
import { requireConfiguredToken, type TokenContext } from './token-context.ts';

/** Options of `mintrail token sign`. */
export interface SignOptions {
  signer: string[];
  passwordFile?: string;
  /** keccak256 of the code that an upgrade may put in although this release does not know it. */
  codeHash?: Hex;
  /** Signs without looking at the chain. */
  offline?: boolean;
  yes?: boolean;
  json?: boolean;
}

/**
 * `mintrail token sign`: adds signatures of owners to a proposal. The file is compared with itself, with the settings of this machine, and with the
 * chain; the code that an upgrade puts in with that of this release. Throws what these comparisons throw, and `not_possible` for code that
 * nobody has reviewed, a signer that is no owner, and what was executed before.
 */
export async function signProposal(file: string, options: SignOptions): Promise<void> {
  const { offline = false, json = false, yes = false } = options;
  requireYesWithJson({ json, yes });
  const proposal = readProposalFile(file);
  const context = requireConfiguredToken(proposal);
  const { safe, code } = offline
    ? { safe: undefined, code: implementationByAddress(callOf(proposal).change) }
    : await translateRpcErrors(() => readChain(context, proposal));
  if (!json)
    print([...describeProposal(proposal, code), ...(offline ? ['note        this was not compared with the chain'] : [])].join('\n'));
  requireAcceptedCode(code, options.codeHash);
  if (!yes) await confirmOrStop('Sign this?');
  const signers = await openSigners(options.signer, context, options.passwordFile);
  const owners = safe?.owners ?? signers.map(({ address }) => address);
  const signed = withSignatures(proposal, await signAsOwners(proposal, { owners }, signers));
  replaceProposalFile(file, signed);
  const count = signed.signatures.length;
  const described = {
    summary: summaryOf(signed),
    safeTxHash: hashSafeTransaction(signed.transaction),
    signatures: count,
    threshold: safe?.threshold,
    ...(code ? { code } : {}),
  };
  print(json ? renderJson(described) : `${file} has ${count}${safe ? ` of ${safe.threshold}` : ''} signatures.`);
}

/** Throws `not_possible` for a proposal that was executed, and what reading its state and the code of an upgrade throws. */
async function readChain(context: TokenContext, proposal: Proposal): Promise<{ safe: SafeAccount; code: ImplementationCode | undefined }> {
  const { network, token } = context;
  if (network.rpcUrls.length === 0)
    throw new StopError({
      code: 'invalid_settings',
      message: `This proposal cannot be compared with the chain: set ${networkVariable(token.chain, 'rpcUrls')}, or sign without that by --offline`,
    });
  const rpc = await connectToToken(context.network, context.token);
  const state = await readProposalState(rpc, proposal);
  if (state.state === 'open') return { safe: state.safe, code: await readImplementationCode(rpc, callOf(proposal).change) };
  throw new StopError({
    code: 'not_possible',
    message: `This was executed in ${transactionUrl(token.chain, state.transaction.hash)}: no signature is needed`,
  });
}
