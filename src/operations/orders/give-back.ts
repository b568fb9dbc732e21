import { z } from 'zod';
import { readOrder } from '../../ledger/orders/order-queries.ts';
import { retryGiveBack, stuckOrders } from '../../ledger/orders/stuck-orders.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount } from '../../platform/money.ts';
import { defineVerb } from '../verb.ts';

/** Tries again to give the tokens of a stuck order back, as `mintrail orders give-back` does. */
export const giveBack = defineVerb({
  name: 'orders.give-back',
  input: z.strictObject({ order: z.uuid(), reason: z.string().trim().min(3).max(500) }),
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  async describe({ ledger }, { order, reason }) {
    const stuck = (await stuckOrders(ledger)).find(({ id }) => id === order);
    const stored = stuck && (await readOrder(ledger, order));
    if (!stuck || !stored) throw new StopError({ code: 'order_not_stuck', message: `The order ${order} is not stuck` });
    const { amount, currency } = stored.order;
    return `Give ${formatAmount(amount)} ${currency.toUpperCase()} in tokens back to ${stuck.address} on ${stuck.chain}, for order ${order}, which burnt them and was not paid. The token contract refused that before: ${stuck.reason}. Reason: ${reason}`;
  },
  carryOut: ({ ledger, operator }, { order, reason }) =>
    retryGiveBack(ledger, order, { actor: { kind: 'operator', id: operator.name }, reason }),
  topics: ['orders', 'status'],
});
