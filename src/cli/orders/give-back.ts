import { retryGiveBack } from '../../ledger/orders/stuck-orders.ts';
import { StopError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/uuid.ts';
import { callingOperator } from '../operator.ts';
import { withLedger } from '../with-ledger.ts';
import { print } from '../print.ts';

/** `mintrail orders give-back`. Throws `unknown_order`, and what `retryGiveBack` throws. */
export async function giveBack(id: string): Promise<void> {
  if (!isUuid(id)) throw new StopError({ code: 'unknown_order', message: `${id} is not the id of an order` });
  await withLedger((ledger) => retryGiveBack(ledger, id, { actor: callingOperator() }));
  print(`The tokens of order ${id} are being given back again.`);
}
