import { randomBytes } from 'node:crypto';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { settleLegs } from '../../src/ledger/orders/settling/settle-legs.ts';
import type { LegKind } from '../../src/schema/states.ts';

/** How a leg ends: carried out, unless it is refused. */
export interface LegEnd {
  refused?: string | null;
  blockNumber?: bigint;
  txHash?: string;
}

/** Ends a leg of an order as the chain or the bank does. Returns the hash of its transaction. */
export async function endLeg(
  ledger: Ledger,
  order: string,
  kind: LegKind,
  { refused = null, blockNumber = 7n, txHash = `0x${randomBytes(32).toString('hex')}` }: LegEnd = {},
): Promise<string> {
  const legs = ledger.selectFrom('legs').where('orderId', '=', order).where('kind', '=', kind);
  const { id: legId } = await legs.select('id').executeTakeFirstOrThrow();
  await settleLegs(ledger, [{ legId, txHash: kind === 'payout' || kind === 'return' ? null : txHash, blockNumber, refused }]);
  return txHash;
}
