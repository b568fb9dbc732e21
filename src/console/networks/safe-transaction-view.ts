import { getAddress, isAddressEqual } from 'viem';
import { checkProposal } from '../../chain/admin/check-proposal.ts';
import { callOf, summaryOf } from '../../chain/admin/proposal.ts';
import { encodeExecution, safeTypedData } from '../../chain/admin/safe-transaction.ts';
import { createRpc } from '../../chain/endpoints/rpc.ts';
import type { SafeAccount } from '../../chain/safe-account.ts';
import type { SafeTransactionRecord } from '../../ledger/safes/safe-transactions.ts';
import { chainFacts } from '../../platform/chains.ts';
import { tokenSymbol } from '../../platform/money.ts';
import { networkSettings, type Settings } from '../../platform/settings.ts';
import { inputOf } from '../../operations/networks/change-input.ts';
import type { Fates } from './follow-safe-transactions.ts';
import { proposalOf } from '../../operations/networks/proposal-of.ts';

/** Time for all checks of a transaction that somebody looks at. */
const readAgainMs = 1_000;

/** A transaction of a Safe in a list. `state` is what the ledger has; `isUnconfirmed`: something used its nonce in a block that does not count yet. */
export function listed(record: SafeTransactionRecord, fates: Fates) {
  const { id, chain, currency, safe, nonce, hash, reason, preparedBy, preparedAt, state, executionHash, readyAt, endedAt, signatures } =
    record;
  const fate = fates.get(id);
  return {
    id,
    chain,
    network: chainFacts(chain).name,
    currency,
    symbol: tokenSymbol(currency),
    safe: getAddress(safe),
    nonce,
    hash,
    summary: summaryOf(proposalOf(record)),
    reason,
    preparedBy,
    preparedAt,
    state,
    isUnconfirmed: fate === 'unconfirmed',
    // One that was prepared a moment ago is not followed yet.
    isChainRead: !fates.has(id) || fate !== undefined,
    signatures: signatures.length,
    executionHash,
    readyAt,
    isReady: state === 'scheduled' && readyAt !== null && readyAt.getTime() + readAgainMs < Date.now(),
    endedAt,
  };
}

/** All that an owner must see who signs it, and what a wallet is asked for. */
export async function detailed(record: SafeTransactionRecord, fates: Fates, settings: Settings) {
  const proposal = proposalOf(record);
  const { change, timelock } = callOf(proposal);
  const network = networkSettings(settings, record.chain);
  const isOpen = record.state === 'open';
  const { findings, safe } = isOpen ? await checkProposal(createRpc(network), network, proposal) : { findings: [], safe: undefined };
  const { transaction } = proposal;
  return {
    ...listed(record, fates),
    chainId: transaction.chainId,
    token: proposal.token.address,
    to: transaction.to,
    data: transaction.data,
    change: inputOf(change),
    timelock: timelock && {
      address: timelock.address,
      step: timelock.step.step,
      delaySeconds: timelock.step.step === 'schedule' ? Number(timelock.step.delay) : null,
    },
    checks: findings.map(({ check, level, detail, remedy }) => ({ check, level, detail, remedy: remedy ?? null })),
    threshold: safe?.threshold ?? null,
    owners: ownersOf(record, safe),
    typedData: isOpen ? safeTypedData(transaction) : null,
    execution: executionOf(record, safe),
    signedBy: record.signatures.map(({ signer, addedBy, addedAt }) => ({ signer: getAddress(signer), addedBy, addedAt })),
  };
}

function ownersOf({ signatures }: SafeTransactionRecord, safe: SafeAccount | undefined) {
  return (safe?.owners ?? []).map((owner) => ({
    address: getAddress(owner),
    hasSigned: signatures.some(({ signer }) => isAddressEqual(signer, owner)),
  }));
}

/** The call that executes it, once enough of the present owners have signed; null before. */
function executionOf(record: SafeTransactionRecord, safe: SafeAccount | undefined) {
  if (!safe || record.state !== 'open') return null;
  const { transaction, signatures } = proposalOf(record);
  const signed = signatures.filter(({ signer }) => safe.owners.some((owner) => isAddressEqual(owner, signer)));
  if (signed.length < safe.threshold || safe.nonce !== transaction.nonce) return null;
  return { to: transaction.safe, data: encodeExecution(transaction, signed.slice(0, safe.threshold)) };
}
