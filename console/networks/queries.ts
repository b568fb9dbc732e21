import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { ActionInput } from '../api/actions.ts';

/** Nodes have news with every block, of which no topic tells. */
const nodesIntervalMs = 10_000;
/** While somebody waits for a transaction of a Safe to be mined. */
const transactionIntervalMs = 4_000;

type Chain = ActionInput<'networks.prepare'>['chain'];

/** All networks as their processes report them. */
export const networksQuery = queryOptions({
  queryKey: ['networks', 'list'],
  queryFn: async ({ signal }) => (await api.networks.$get({}, { init: { signal } })).json(),
  meta: { topics: ['status'] },
  refetchInterval: nodesIntervalMs,
});

/** What the nodes of a network say at this moment. */
export function nodesQuery(chain: Chain) {
  return queryOptions({
    queryKey: ['networks', 'nodes', chain],
    queryFn: async ({ signal }) => (await api.networks[':chain'].nodes.$get({ param: { chain } }, { init: { signal } })).json(),
    refetchInterval: nodesIntervalMs,
  });
}

/** Transactions of the Safes, the latest first. */
export function safeTransactionsQuery(state: 'open' | 'all') {
  return infiniteQueryOptions({
    queryKey: ['networks', 'safe-transactions', state],
    queryFn: async ({ pageParam, signal }) =>
      (
        await api.networks['safe-transactions'].$get({ query: { state, ...(pageParam && { after: pageParam }) } }, { init: { signal } })
      ).json(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: nodesIntervalMs,
  });
}

/** One transaction of a Safe, compared with the chain. */
export function safeTransactionQuery(id: string) {
  return queryOptions({
    queryKey: ['networks', 'safe-transaction', id],
    queryFn: async ({ signal }) => (await api.networks['safe-transactions'][':id'].$get({ param: { id } }, { init: { signal } })).json(),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === 'open' ? transactionIntervalMs : nodesIntervalMs),
  });
}

type Answer<Query extends { queryFn?: unknown }> = Query['queryFn'] extends infer Fn
  ? Fn extends (...parameters: never[]) => infer Result
    ? Awaited<Result>
    : never
  : never;

/** A network in the list. */
export type Network = Answer<typeof networksQuery>['networks'][number];
/** What nodes say. */
export type NodeFacts = Answer<ReturnType<typeof nodesQuery>>;
/** A transaction of a Safe in the list. */
export type SafeTransaction = Answer<ReturnType<typeof safeTransactionsQuery>>['transactions'][number];
/** A transaction of a Safe with all that its owners sign. */
export type SafeTransactionDetail = Answer<ReturnType<typeof safeTransactionQuery>>;
