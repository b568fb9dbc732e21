import { laneQueue } from '../../ledger/lane-queue.ts';
import { rejectPayout } from '../../ledger/bank/payments.ts';
import { createLog } from '../../platform/log.ts';
import { createWaker } from '../../platform/queue.ts';
import { cliSettings } from '../cli-settings.ts';
import { renderJson } from '../output.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail payments reject`: for a payout of which the bank's files say nothing final, after asking the bank. */
export async function rejectByHand(id: string, reason: string, json: boolean): Promise<void> {
  const settings = cliSettings();
  const rejected = await withLedger((ledger) => rejectPayout(ledger, id, reason));
  const waker = createWaker(settings, createLog('silent'));
  for (const chain of rejected.chains) waker.wake(laneQueue(chain));
  await waker.close();
  console.log(
    json ? renderJson(rejected) : `The payout ${rejected.paymentId} is refused; the order ${rejected.orderId} gets its tokens back.`,
  );
}
