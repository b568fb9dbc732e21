import { getAddress } from 'viem';
import type { Proposal } from '../../chain/admin/proposal.ts';
import { requireSupportedVersion } from '../../chain/admin/safe-transaction.ts';
import type { SafeTransactionRecord } from '../../ledger/safes/safe-transactions.ts';
import { chainFacts } from '../../platform/chains.ts';

/** A kept transaction as the proposal that `mintrail token sign` reads, with the signatures that are kept. */
export function proposalOf(record: SafeTransactionRecord): Proposal {
  const { chain, currency, token, safe, safeVersion, nonce, to, data, block, signatures } = record;
  const version = requireSupportedVersion(safe, safeVersion);
  return {
    token: { chain, currency, address: getAddress(token) },
    transaction: { chainId: chainFacts(chain).id, safe: getAddress(safe), version, to: getAddress(to), data, nonce },
    block,
    signatures: signatures.map(({ signer, data: signature }) => ({ signer: getAddress(signer), data: signature })),
  };
}
