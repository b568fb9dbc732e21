import { z } from 'zod';
import { retryGiveBack, stuckOrders } from '../../ledger/orders/stuck-orders.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount } from '../../platform/money.ts';
import { defineVerb } from '../verb.ts';

/** Tries again to give the tokens of a stuck order back. */
export const giveBack = defineVerb({
  name: 'orders.give-back',
  summary: 'try again to give the tokens of a stuck order back, after its cause was removed; `mintrail status` names stuck orders',
  command: 'orders give-back <order>',
  input: z.strictObject({
    order: z.uuid().describe('id of the order'),
    reason: z.string().trim().min(3).max(500).describe('why it will succeed now; it is recorded'),
  }),
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  async describe({ ledger }, { order, reason }) {
    const stuck = (await stuckOrders(ledger)).find(({ id }) => id === order);
    if (!stuck)
      throw new StopError({ code: 'not_possible', message: `The order ${order} is not stuck: mintrail status names those that are` });
    const { amount, currency } = stuck;
    return `Give ${formatAmount(amount)} ${currency.toUpperCase()} in tokens back to ${stuck.address} on ${stuck.chain}, for order ${order}, which burnt them and was not paid. The token contract refused that before: ${stuck.reason}. Reason: ${reason}`;
  },
  async carryOut({ ledger, operator, correlationId }, { order, reason }) {
    await retryGiveBack(ledger, order, {
      actor: { kind: 'operator', id: operator.name, ...(correlationId !== undefined && { correlationId }) },
      reason,
    });
    return { order };
  },
  topics: ['orders', 'status'],
});
