import { getAddress, type Hex, isAddress, isAddressEqual } from 'viem';
import { z } from 'zod';
import { summaryOf } from '../../chain/admin/proposal.ts';
import { requireSameSafe } from '../../chain/admin/execute-proposal.ts';
import { hashSafeTransaction, type OwnerSignature } from '../../chain/admin/safe-transaction.ts';
import { translateRpcErrors } from '../../chain/node-answer.ts';
import { createRpc } from '../../chain/endpoints/rpc.ts';
import { recoverSigner } from '../../chain/signatures/ecdsa.ts';
import { addSafeSignatures, findSafeTransaction } from '../../ledger/safes/safe-transactions.ts';
import { StopError } from '../../platform/errors.ts';
import { networkSettings } from '../../platform/settings.ts';
import { type VerbContext, defineVerb } from '../verb.ts';
import { proposalOf } from './proposal-of.ts';

/** Signatures in one request: those of a file that owners have signed. */
const mostSignatures = 20;

const input = z.strictObject({
  transaction: z.uuid(),
  signatures: z
    .array(
      z.object({
        signer: z.string().refine((text) => isAddress(text), 'must be an address'),
        data: z.string().regex(/^0x[0-9a-fA-F]{130}$/, 'must be a signature of 65 bytes'),
      }),
    )
    .min(1)
    .max(mostSignatures),
});

/** Adds signatures of owners of a Safe to its transaction. Each is verified: made by an owner, over exactly this transaction. */
export const signSafeTransaction = defineVerb({
  name: 'networks.sign',
  summary: 'add signatures of owners to a prepared transaction',
  input,
  // What counts is the owner's signature, but whoever brings the last one makes a change of a token ready to be sent.
  roles: ['administrator'],
  needsSecondPerson: false,
  async describe(context, { transaction, signatures }) {
    const { summary, verified } = await verify(context, transaction, signatures as OwnerSignature[]);
    return `Add the ${verified.length === 1 ? 'signature' : 'signatures'} of ${verified.map(({ signer }) => signer).join(' and ')} to: ${summary}`;
  },
  lookUp: (context, { transaction, signatures }) => verify(context, transaction, signatures as OwnerSignature[]),
  async carryOut(context, { transaction }, { verified }) {
    return { added: await addSafeSignatures(context.ledger, transaction, verified, context.operator.name) };
  },
  topics: ['networks'],
});

/** Throws `invalid_request` for a signature of something else, `not_possible`, and what comparing the Safe with the chain throws. */
async function verify({ ledger, settings }: VerbContext, id: string, signatures: readonly OwnerSignature[]) {
  const record = await findSafeTransaction(ledger, id);
  const proposal = proposalOf(record);
  const hash = hashSafeTransaction(proposal.transaction);
  const verified = signatures.map((signature) => requireSignature(hash, signature));
  const rpc = createRpc(networkSettings(settings, record.chain));
  const { owners } = await translateRpcErrors(() => requireSameSafe(rpc, proposal));
  const stranger = verified.find(({ signer }) => !owners.some((owner) => isAddressEqual(owner, signer)));
  if (stranger)
    throw new StopError({
      code: 'not_possible',
      message: `${stranger.signer} is no owner of the Safe ${proposal.transaction.safe}, whose owners are ${owners.join(', ')}`,
    });
  return { summary: summaryOf(proposal), verified };
}

/** The signature as a Safe takes it: its last byte is 27 or 28, where some wallets write 0 or 1. Throws `invalid_request`. */
function requireSignature(hash: Hex, { signer, data }: OwnerSignature): OwnerSignature {
  if (recoverSigner(hash, data) !== signer.toLowerCase())
    throw new StopError({
      code: 'invalid_request',
      message: `The signature is not that of ${getAddress(signer)} for this transaction, whose hash is ${hash}`,
      fields: { signatures: `is not that of ${getAddress(signer)} for this transaction` },
    });
  const last = Number.parseInt(data.slice(-2), 16);
  const recovery = (last < 27 ? last + 27 : last).toString(16);
  return { signer: getAddress(signer), data: `${data.slice(0, -2).toLowerCase()}${recovery}` as Hex };
}
