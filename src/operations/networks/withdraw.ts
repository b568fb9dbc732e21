import { z } from 'zod';
import { summaryOf } from '../../chain/admin/proposal.ts';
import { changeSafeTransaction, findSafeTransaction } from '../../ledger/safes/safe-transactions.ts';
import { StopError } from '../../platform/errors.ts';
import { defineVerb } from '../verb.ts';
import { proposalOf } from './proposal-of.ts';

/** Offers a prepared transaction of a Safe no longer for signing. */
export const withdrawSafeTransaction = defineVerb({
  name: 'networks.withdraw',
  summary: 'offer a prepared transaction no longer for signing',
  input: z.strictObject({ transaction: z.uuid(), reason: z.string().trim().max(500).optional() }),
  roles: ['administrator'],
  needsSecondPerson: false,
  async describe({ ledger }, { transaction }) {
    const record = await findSafeTransaction(ledger, transaction);
    const { length } = record.signatures;
    const caution =
      length === 0
        ? ''
        : `. ${length === 1 ? 'One owner has' : `${length} owners have`} signed it: whoever has their signatures can still execute it, until another transaction uses the nonce ${record.nonce}`;
    return `Withdraw transaction ${record.nonce} of the Safe ${record.safe}: ${summaryOf(proposalOf(record))}${caution}`;
  },
  async carryOut({ ledger }, { transaction }) {
    const { state } = await findSafeTransaction(ledger, transaction);
    if (state === 'withdrawn' || (await changeSafeTransaction(ledger, transaction, { state: 'withdrawn' }))) return;
    throw new StopError({ code: 'not_possible', message: `The transaction ${transaction} has ended already` });
  },
  topics: ['networks'],
});
