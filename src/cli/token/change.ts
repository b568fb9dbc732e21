import { getAddress, type Hex } from 'viem';
import { connectToToken } from '../../chain/admin/connect-to-token.ts';
import type { ChangeRequest } from '../../chain/admin/decide-change.ts';
import { translateRpcErrors } from '../../chain/node-answer.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import { type Chain, transactionUrl } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import { hashSafeTransaction } from '../../chain/admin/safe-transaction.ts';
import { confirmOrStop, requireYesWithJson } from '../confirmation.ts';
import { formatDuration, renderJson } from '../output.ts';
import { print } from '../print.ts';
import { describeCode } from './describe-proposal.ts';
import { type ChangeOutcome, makeChange } from './make-change.ts';
import { openSigners } from './open-signers.ts';
import { configuredToken, type TokenContext } from './token-context.ts';

/** Options of every command that changes a token. */
export interface ChangeOptions {
  chain: Chain;
  currency: Currency;
  /** File for a proposal. */
  propose?: string;
  /** File for the Transaction Builder of Safe's own application. */
  safeJson?: string;
  signer: string[];
  passwordFile?: string;
  /** Of `mintrail token upgrade`: keccak256 of the code, where this release does not know it. */
  codeHash?: Hex;
  yes?: boolean;
  json?: boolean;
}

/** What a command asks for; some must look at the chain first. Throws to stop. */
export type ReadRequest = (context: TokenContext, rpc: Rpc, confirm: Confirm) => Promise<ChangeRequest>;

/** Shows what is about to be done. Throws `not_confirmed`. */
export type Confirm = (lines: readonly string[]) => Promise<void>;

/** `mintrail token allowance` and its like. Throws what `makeChange` throws, and the errors of settings and signers. */
export async function changeToken(options: ChangeOptions, readRequest: ReadRequest): Promise<void> {
  const { chain, currency, propose, safeJson, json = false, yes = false } = options;
  if (options.signer.length > 0) requireYesWithJson({ json, yes });
  const context = configuredToken(chain, currency);
  const signers = await openSigners(options.signer, context, options.passwordFile);
  const confirm: Confirm = async (lines) => {
    if (!json) print(lines.join('\n'));
    if (!yes) await confirmOrStop('Go on?');
  };
  const outcome = await translateRpcErrors(async () => {
    const rpc = await connectToToken(context.network, context.token);
    return makeChange(await readRequest(context, rpc, confirm), {
      context,
      rpc,
      signers,
      propose,
      safeJson,
      codeHash: options.codeHash,
      confirm,
    });
  });
  print(json ? renderJson(describe(options, outcome)) : render(options, outcome));
}

function describe({ chain, currency, propose, safeJson }: ChangeOptions, { summary, planned, code, transaction, proposed }: ChangeOutcome) {
  const { timelock } = planned.call;
  return {
    chain,
    currency,
    summary,
    account: planned.account.address,
    ...(code ? { code } : {}),
    ...(timelock ? { timelock: { address: timelock.address, step: timelock.step.step } } : {}),
    ...(transaction ? { transaction: transaction.hash, block: transaction.block } : {}),
    ...(proposed
      ? {
          ...(propose === undefined ? {} : { proposal: propose }),
          ...(safeJson === undefined ? {} : { safeJson }),
          safeTxHash: hashSafeTransaction(proposed.proposal.transaction),
          signatures: proposed.proposal.signatures.length,
          threshold: proposed.safe.threshold,
        }
      : {}),
  };
}

function render({ chain, propose, safeJson }: ChangeOptions, { summary, planned, code, transaction, proposed }: ChangeOutcome): string {
  if (transaction) return [`Done: ${summary}`, transactionUrl(chain, transaction.hash), ...nextSteps(planned.call)].join('\n');
  const { proposal, safe } = proposed as NonNullable<typeof proposed>;
  return [
    `Proposed: ${summary}`,
    ...(code ? describeCode(code) : []),
    ...(propose === undefined
      ? []
      : [
          `hash        ${hashSafeTransaction(proposal.transaction)}`,
          `${propose} has ${proposal.signatures.length} of ${safe.threshold} signatures of the Safe ${proposal.transaction.safe}. Owners sign it, or copies of it: mintrail token sign FILE --signer REFERENCE`,
          'Then anybody who pays sends it: mintrail token execute FILE... --signer REFERENCE',
        ]),
    ...(safeJson === undefined
      ? []
      : [
          `${safeJson} is for Safe's own application: an owner of the Safe ${proposal.transaction.safe} drops it into the app Transaction Builder there, and ${safe.threshold} of ${safe.owners.length} owners sign it.`,
          // In full: whoever exchanges the file could make another call that is like this one at both ends.
          'What the application shows must be this call, every digit of it:',
          `to          ${getAddress(proposal.transaction.to)}`,
          `data        ${proposal.transaction.data}`,
          `safeTxHash  ${hashSafeTransaction(proposal.transaction)}, as the Safe's transaction with the nonce ${proposal.transaction.nonce}`,
        ]),
  ].join('\n');
}

function nextSteps({ change, timelock }: ChangeOutcome['planned']['call']): string[] {
  if (timelock?.step.step === 'schedule')
    return [`It waits for ${formatDuration(Number(timelock.step.delay))}. Then run the same command again, which carries it out.`];
  if (change.kind === 'grant' && change.role === 'OPERATOR_ROLE')
    return ['It may issue nothing before it has an allowance: mintrail token allowance'];
  return [];
}
