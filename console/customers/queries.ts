import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { InferResponseType } from 'hono/client';
import { api } from '../api/client.ts';
import type { CustomerSearch } from './search.ts';

/** A profile of the list. */
export type ListedProfile = InferResponseType<typeof api.customers.$get>['rows'][number];
/** A profile with what is claimed and proved. */
export type Customer = InferResponseType<(typeof api.customers)[':id']['$get'], 200>;
/** A verification with its documents. */
export type Verification = Customer['verifications'][number];
/** An address for which several profiles wait. */
export type Contest = InferResponseType<typeof api.customers.contested.$get>['contested'][number];

export const profilesQuery = ({ state = 'pending' }: CustomerSearch) =>
  infiniteQueryOptions({
    queryKey: ['customers', 'list', state],
    queryFn: async ({ pageParam: after, signal }) =>
      (await api.customers.$get({ query: { state, ...(after !== undefined && { after }) } }, { init: { signal } })).json(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });

export const contestedQuery = queryOptions({
  queryKey: ['customers', 'contested'],
  queryFn: async ({ signal }) => (await api.customers.contested.$get({}, { init: { signal } })).json(),
  meta: { topics: ['orders'] },
});

export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: ['customers', 'profile', id],
    queryFn: async ({ signal }) => (await api.customers[':id'].$get({ param: { id } }, { init: { signal } })).json(),
  });

/** The profile that somebody means by a text; null when none is meant. */
export async function searchCustomer(text: string): Promise<string | null> {
  return (await (await api.customers.search.$get({ query: { text } })).json()).profile;
}
