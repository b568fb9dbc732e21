import { z } from 'zod';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { lowerAddress } from '../../platform/addresses.ts';
import { chains } from '../../platform/chains.ts';
import { currencySchema, formatAmount } from '../../platform/money.ts';
import { type FoundOrder, type OrderSearch, searchOrders } from '../../trace/order-search.ts';
import { anyOf, defineView } from '../view.ts';

/** States of orders that can be listed; `open` are those that are placed or pending. */
export const listedStates = ['open', 'placed', 'pending', 'processed', 'rejected'] as const;

const time = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const filter = {
  kind: z.enum(['issue', 'redeem']).optional().meta({ description: 'only orders of this kind', flags: '--kind <kind>' }),
  chain: z.enum(chains).optional().meta({ description: 'only orders on this network', flags: '--chain <name>' }),
  currency: currencySchema.optional().meta({ description: 'only orders in this currency', flags: '--currency <currency>' }),
  profile: z.uuid().describe('only orders of this profile').optional(),
  from: time.optional().meta({ description: 'only orders placed at this time or later', flags: '--placed-after <time>' }),
  until: time.optional().meta({ description: 'only orders placed before this time', flags: '--placed-before <time>' }),
};

/** Fields that restrict which orders are listed. */
export const orderFilter = z.object(filter);

/** Orders of every profile. The console lists them part by part, and finds them by what somebody writes into its search. */
export const orders = defineView({
  name: 'orders.all',
  summary: 'list orders, the latest first',
  command: 'orders list',
  roles: operatorRoles,
  input: z.object({
    state: anyOf(listedStates).describe('only orders in these states').optional(),
    ...filter,
    address: z
      .string()
      .regex(/^0x[\da-f]{40}$/i, 'must be an address')
      .transform((value) => lowerAddress(value))
      .optional()
      .meta({ description: 'only orders of this account', flags: '--address <address>' }),
    after: z.uuid().describe('only those that follow this one').optional(),
  }),
  limit: { usual: 20, most: 1_000 },
  async read(ledger, { state = [], address, after, limit, ...input }) {
    const search = { ...searchOf({ ...input, states: state }), key: address && { by: 'address' as const, address } };
    const rows: FoundOrder[] = [];
    for (let next = after; rows.length < limit;) {
      const part = await searchOrders(ledger, search, { after: next, limit: limit - rows.length });
      rows.push(...part.orders);
      if (part.next === undefined) break;
      next = part.next;
    }
    return rows.map(orderRow);
  },
  keyOf: ({ id }) => id,
  columns: {
    id: ({ id }) => id,
    placed: ({ placedAt }) => placedAt,
    kind: ({ kind }) => kind,
    chain: ({ chain }) => chain,
    account: ({ address }) => address,
    amount: ({ amount, currency }) => `${amount} ${currency.toUpperCase()}`,
    state: ({ state }) => state,
    reason: ({ rejectedReason }) => rejectedReason,
  },
  empty: 'No orders.',
});

/** The search that these fields mean. */
export function searchOf({
  states,
  from,
  until,
  ...search
}: z.output<typeof orderFilter> & { states: readonly (typeof listedStates)[number][] }): OrderSearch {
  return {
    ...search,
    states: states.flatMap((state) => (state === 'open' ? (['placed', 'pending'] as const) : [state])),
    from: from === undefined ? undefined : new Date(from),
    until: until === undefined ? undefined : new Date(until),
  };
}

/** An order in a list, as both doors have it. */
export function orderRow(order: FoundOrder) {
  return { ...order, amount: formatAmount(order.amount) };
}
