import type { z } from 'zod';
import { connectToToken, tokenOf } from '../../chain/admin/connect-to-token.ts';
import { requireAcceptedCode } from '../../chain/admin/implementation-code.ts';
import { summaryOf } from '../../chain/admin/proposal.ts';
import { type ProposedChange, proposeChange } from '../../chain/admin/propose-change.ts';
import { hashSafeTransaction } from '../../chain/admin/safe-transaction.ts';
import { translateRpcErrors } from '../../chain/node-answer.ts';
import { keepSafeTransaction } from '../../ledger/safes/safe-transactions.ts';
import { networkSettings } from '../../platform/settings.ts';
import { type VerbContext, defineVerb } from '../verb.ts';
import { changeInput, requestOf } from './change-input.ts';

/** Prepares a transaction of the Safe that administers a token, for its owners to sign, as `mintrail token … --propose` does. */
export const prepareSafeTransaction = defineVerb({
  name: 'networks.prepare',
  summary: 'prepare a change of a token as a transaction of its admin Safe, for the owners to sign',
  input: changeInput,
  roles: ['administrator'],
  needsSecondPerson: true,
  async describe(context, input) {
    const { proposal, safe, code } = await propose(context, input);
    const { transaction } = proposal;
    const ofCode = code && !code.isOfThisRelease ? `. The code is NOT that of this release; its keccak256 is ${code.hash}` : '';
    return `Prepare transaction ${transaction.nonce} of the Safe ${transaction.safe}, which ${safe.threshold} of its ${safe.owners.length} owners sign: ${summaryOf(proposal)}${ofCode}`;
  },
  lookUp: propose,
  async carryOut(context, input, { proposal }) {
    const { token, transaction, block } = proposal;
    const hash = hashSafeTransaction(transaction);
    const { safe, version: safeVersion, to, data, nonce } = transaction;
    const { chain, currency, address } = token;
    const by = { reason: input.reason, preparedBy: context.operator.name };
    const kept = { chain, currency, token: address, safe, safeVersion, nonce, to, data, hash, block, ...by };
    return { transaction: await keepSafeTransaction(context.ledger, kept), hash };
  },
  topics: ['networks'],
});

/** The proposal as the chain lets it be at this moment. Throws `not_possible`, and what `proposeChange` throws. */
async function propose({ settings }: VerbContext, input: z.output<typeof changeInput>): Promise<ProposedChange> {
  const network = networkSettings(settings, input.chain);
  const token = tokenOf(network, input.currency);
  return translateRpcErrors(async () => {
    const rpc = await connectToToken(network, token);
    const proposed = await proposeChange(rpc, token, requestOf(input), BigInt(network.startBlock));
    requireAcceptedCode(proposed.code, input.kind === 'upgrade' ? input.codeHash : undefined);
    return proposed;
  });
}
