import { listReadyGroups, nextContractAccounts } from '../../src/ledger/lanes/leg-groups.ts';
import { type ClaimedLeg, claimLegs, type ClaimOptions } from '../../src/ledger/lanes/legs.ts';
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
