import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { DeliverySearch } from './delivery-search.ts';

/** All subscriptions. */
export const subscriptionsQuery = queryOptions({
  queryKey: ['webhooks', 'subscriptions'],
  queryFn: async ({ signal }) => (await api.webhooks.subscriptions.$get({}, { init: { signal } })).json(),
});

/** Deliveries, the latest first. */
export function deliveriesQuery(search: DeliverySearch) {
  return infiniteQueryOptions({
    queryKey: ['webhooks', 'deliveries', search],
    queryFn: async ({ pageParam, signal }) =>
      (await api.webhooks.deliveries.$get({ query: { ...search, ...(pageParam && { after: pageParam }) } }, { init: { signal } })).json(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

/** One delivery with its attempts and, for those who may see it, its body. */
export function deliveryQuery(id: string) {
  return queryOptions({
    queryKey: ['webhooks', 'delivery', id],
    queryFn: async ({ signal }) => (await api.webhooks.deliveries[':id'].$get({ param: { id } }, { init: { signal } })).json(),
  });
}
