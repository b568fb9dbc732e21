import { z } from 'zod';
import { retryGiveBack, stuckOrders } from '../../ledger/orders/stuck-orders.ts';
import { StopError } from '../../platform/errors.ts';
import { defineAction } from '../actions/action.ts';

/** Tries again to give the tokens of a stuck order back, as `mintrail orders give-back` does. */
export const giveBack = defineAction({
  name: 'orders.give-back',
  input: z.object({ order: z.uuid() }),
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  async describe({ ledger }, { order }) {
    const stuck = (await stuckOrders(ledger)).find(({ id }) => id === order);
    if (stuck)
      return `Give the tokens of order ${order} back to ${stuck.address} on ${stuck.chain}, which the token refused before: ${stuck.reason}`;
    throw new StopError({ code: 'order_not_stuck', message: `The order ${order} is not stuck` });
  },
  carryOut: ({ ledger }, { order }) => retryGiveBack(ledger, order),
  topics: ['orders', 'status'],
});
