import type { ReadBalances } from '../../indexed/balances.ts';
import type { FindIndexedRedemptions } from '../../indexed/redemptions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { listOpenRedemptions, type TokenHolder } from '../../ledger/orders/pending-redemptions.ts';
import type { Holding } from '../../ledger/orders/redemption-rules.ts';
import { tokenUnits } from '../../platform/money.ts';

/** What {@link readHolding} reads from. */
export interface HoldingSources {
  ledger: Ledger;
  readBalances: ReadBalances;
  findIndexedRedemptions: FindIndexedRedemptions;
}

/**
 * What an address holds of a token by the indexed rows, and which of its open orders are burnt in that balance already: between
 * the burning and its confirmation an order would otherwise count twice. The orders are read before the balance, so that no
 * burning is missing in it. Throws `indexer_not_ready`.
 */
export async function readHolding(sources: HoldingSources, holder: TokenHolder): Promise<Holding> {
  const { ledger, findIndexedRedemptions, readBalances } = sources;
  const { chain, address, currency } = holder;
  const open = await listOpenRedemptions(ledger, holder);
  const burnt = open.length === 0 ? [] : await findIndexedRedemptions(chain, address, open);
  const { [currency]: units = tokenUnits(0n) } = await readBalances(chain, address, [currency]);
  return { units, burnt };
}
