import type { Send } from '../../../platform/postgres/pipelined-transaction.ts';
import { redemptionLock, takeLock } from '../../advisory-locks.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { requireBalance } from '../redemption-rules.ts';
import { availableTo } from './decide-requests.ts';
import { readHoldings } from './read-facts.ts';
import type { ReadHoldings, RedemptionRequest } from './redemption-request.ts';

/**
 * Requires that what the address of a request holds covers it besides all that is reserved there, and keeps others from reserving more until the
 * transaction ends. Throws `insufficient_balance`, `indexer_not_ready`.
 */
export async function requireCovered(
  tx: LedgerTransaction,
  request: Pick<RedemptionRequest, 'draft' | 'openingBalance'>,
  read: ReadHoldings,
): Promise<void> {
  const { draft } = request;
  await takeLock(tx, redemptionLock(draft.address));
  const send = inTurn(tx);
  const available = async (reserved: 'all' | 'not burnt') =>
    availableTo(request, await readHoldings(send, [draft], reserved, read), new Map());
  // Most are covered besides the sum of all open orders, which is read quickly.
  if ((await available('all')) < BigInt(draft.amount)) requireBalance(draft, await available('not burnt'));
}

/** Sends one statement after the other: the connection of this transaction is not pipelined. */
function inTurn(tx: LedgerTransaction): Send {
  let before: Promise<unknown> = Promise.resolve();
  return async (statement) => {
    const answer = before.then(() => statement.execute(tx));
    before = answer.catch(() => {});
    return (await answer).rows;
  };
}
