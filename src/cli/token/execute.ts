import type { Hex } from 'viem';
import { connectToToken } from '../../chain/admin/connect-to-token.ts';
import { executeProposal, readProposalState } from '../../chain/admin/execute-proposal.ts';
import { readImplementationCode, requireAcceptedCode } from '../../chain/admin/implementation-code.ts';
import { callOf, type Proposal, summaryOf, withSignatures } from '../../chain/admin/proposal.ts';
import { hashSafeTransaction } from '../../chain/admin/safe-transaction.ts';
import { translateRpcErrors } from '../../chain/node-answer.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { transactionUrl } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { confirmOrStop, requireYesWithJson } from '../confirmation.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { describeProposal } from './describe-proposal.ts';
import { openSigners } from './open-signers.ts';
import { readProposalFile } from './proposal-file.ts';
import { requireConfiguredToken } from './token-context.ts';

/** Options of `mintrail token execute`. */
export interface ExecuteOptions {
  /** Pays, and need not be an owner. */
  signer: string;
  passwordFile?: string;
  /** keccak256 of the code that an upgrade may put in although this release does not know it. */
  codeHash?: Hex;
  yes?: boolean;
  json?: boolean;
}

/**
 * `mintrail token execute`: sends a proposal, with the signatures of all the files, which are copies of it. What was executed before is not sent
 * again. Throws `proposal_mismatch` for files of different proposals, `not_possible`, and what `executeProposal` throws.
 */
export async function executeFiles(files: readonly string[], options: ExecuteOptions): Promise<void> {
  const { json = false, yes = false } = options;
  requireYesWithJson({ json, yes });
  const proposal = joined(files.map((file) => [file, readProposalFile(file)]));
  const context = requireConfiguredToken(proposal);
  const { chain } = context.token;
  const [signer] = (await openSigners([options.signer], context, options.passwordFile)) as [Signer];
  const executed = await translateRpcErrors(async () => {
    const rpc = await connectToToken(context.network, context.token);
    const { state } = await readProposalState(rpc, proposal);
    const code = state === 'open' ? await readImplementationCode(rpc, callOf(proposal).change) : undefined;
    if (!json) print([...describeProposal(proposal, code), `paid by     ${signer.address}`].join('\n'));
    requireAcceptedCode(code, options.codeHash);
    if (state === 'open' && !yes) await confirmOrStop('Send this?');
    return executeProposal({ rpc, chain, signer }, proposal);
  });
  const { hash, block, isNew } = executed;
  if (json)
    return print(
      renderJson({ summary: summaryOf(proposal), safeTxHash: hashSafeTransaction(proposal.transaction), transaction: hash, block, isNew }),
    );
  print(isNew ? `Done: ${transactionUrl(chain, hash)}` : `This was executed before, and nothing was sent: ${transactionUrl(chain, hash)}`);
}

/** One proposal with the signatures of all copies. */
function joined(copies: readonly (readonly [string, Proposal])[]): Proposal {
  const [[firstFile, first], ...others] = copies as [[string, Proposal], ...[string, Proposal][]];
  let proposal = first;
  for (const [file, copy] of others) {
    if (hashSafeTransaction(copy.transaction) !== hashSafeTransaction(first.transaction))
      throw new StopError({ code: 'proposal_mismatch', message: `${file} is another proposal than ${firstFile}: execute each by itself` });
    proposal = withSignatures(proposal, copy.signatures);
  }
  return proposal;
}
