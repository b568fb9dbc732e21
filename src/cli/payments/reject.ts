import { rejectPayout } from '../../ledger/bank/payments.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail payments reject`: refuses a payout that the bank's files do not decide. */
export async function rejectByHand(id: string, reason: string, json: boolean): Promise<void> {
  const rejected = await withLedger((ledger) => rejectPayout(ledger, id, reason));
  print(json ? renderJson(rejected) : `The payout ${rejected.paymentId} is refused; the order ${rejected.orderId} gets its tokens back.`);
}
