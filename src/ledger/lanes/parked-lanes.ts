import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/** A lane that does not send some of its legs until an operator removes the cause. */
export interface ParkedLane {
  chain: Chain;
  signer: LowerAddress;
  /** What is not sent: a kind and a currency, such as `issue eur`, or `gas` for everything. */
  scope: string;
  reason: string;
  since: Date;
}

/** Records that a lane does not send, and why, for the operator. A later reason replaces the text and keeps the time of the first. */
export async function parkLane(ledger: Ledger, { chain, signer, scope, reason }: Omit<ParkedLane, 'since'>): Promise<void> {
  await ledger
    .insertInto('parkedLanes')
    .values({ chain, signer, scope, reason })
    .onConflict((conflict) => conflict.columns(['chain', 'signer', 'scope']).doUpdateSet({ reason }))
    .execute();
}

/** Records that the lane sends again. */
export async function unparkLane(ledger: Ledger, chain: Chain, signer: LowerAddress, scope: string): Promise<void> {
  await ledger.deleteFrom('parkedLanes').where('chain', '=', chain).where('signer', '=', signer).where('scope', '=', scope).execute();
}

/** Everything that is parked, the oldest first. */
export async function listParkedLanes(ledger: Ledger): Promise<ParkedLane[]> {
  return ledger.selectFrom('parkedLanes').selectAll().orderBy('since').execute();
}
