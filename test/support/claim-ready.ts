import { randomBytes } from 'node:crypto';
import { listReadyGroups, nextContractAccounts } from '../../src/ledger/lanes/leg-groups.ts';
import { type ClaimedLeg, claimLegs, type ClaimOptions } from '../../src/ledger/lanes/legs.ts';
import { recordTransaction } from '../../src/ledger/lanes/transactions.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Currency } from '../../src/platform/money.ts';

export type ReadyClaim = Pick<ClaimOptions, 'chain' | 'signer' | 'tokens'> & Partial<Pick<ClaimOptions, 'limit' | 'block'>>;

/** Claims what is ready, as a lane does for its next batch: of the first group that has something. */
export async function claimReady(ledger: Ledger, { limit = 100, block = 0n, ...claim }: ReadyClaim): Promise<ClaimedLeg[]> {
  const [group] = await listReadyGroups(ledger, claim.chain, Object.keys(claim.tokens) as Currency[]);
  if (!group) return [];
  const { accounts } = await nextContractAccounts(ledger, { chain: claim.chain, currency: group.currency, after: '', block, limit });
  return claimLegs(ledger, { ...claim, group, limit, block, accounts });
}

/** Puts what is ready into a transaction of one unit of gas and of fee, as a lane does. Returns it with the hash of its attempt. */
export async function sendReady(ledger: Ledger, { nonce, ...claim }: ReadyClaim & { nonce: bigint }) {
  const legs = await claimReady(ledger, claim);
  const [first] = legs;
  if (!first) throw new Error('no leg is ready');
  const { chain, signer } = claim;
  const hash = `0x${randomBytes(32).toString('hex')}`;
  const attempt = { hash, raw: '0x', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const facts = { kind: first.kind, currency: first.currency, gasLimit: 1n, sentAtBlock: 1n };
  const id = await recordTransaction(ledger, { chain, signer, nonce, ...facts, attempt, legs: legs.map((leg) => leg.id) });
  return { id, hash, legId: first.id };
}
