import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { InferRequestType, InferResponseType } from 'hono/client';
import { api } from '../api/client.ts';

const rowsPerPart = 200;

/** An order in the list. */
export type ListedOrder = InferResponseType<typeof api.orders.$get>['orders'][number];

/** What a text was taken for. */
export type TextSearch = NonNullable<InferResponseType<typeof api.orders.$get>['search']>;

/** A credit without an order that fits what is searched for. */
export type FoundCredit = InferResponseType<typeof api.orders.$get>['credits'][number];

/** What is searched for, and what narrows it: the search parameters of the page. */
export type OrderFilter = Omit<InferRequestType<typeof api.orders.$get>['query'], 'after' | 'limit'>;

/** An order with all that is known of it. */
export type OrderView = InferResponseType<(typeof api.orders)[':id']['$get'], 200>;

/** The orders of the list, part by part. */
export const ordersQuery = (filter: OrderFilter) =>
  infiniteQueryOptions({
    queryKey: ['orders', 'list', filter],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filter, limit: String(rowsPerPart), ...(pageParam !== undefined && { after: pageParam }) };
      return (await api.orders.$get({ query }, { init: { signal } })).json();
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });

/** One order. */
export const orderQuery = (id: string) =>
  queryOptions({
    queryKey: ['orders', 'one', id],
    queryFn: async ({ signal }) => (await api.orders[':id'].$get({ param: { id } }, { init: { signal } })).json(),
    meta: { topics: ['bank', 'webhooks', 'networks'] },
  });
