import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { InferRequestType, InferResponseType } from 'hono/client';
import { api } from '../api/client.ts';

const seconds = 1000;
/** What no topic covers: time passes, and workers write their heartbeats. */
const statusIntervalMs = 5 * seconds;
const activityIntervalMs = 10 * seconds;
const samplesIntervalMs = 60 * seconds;

/** The state of the service. */
export type Status = InferResponseType<typeof api.overview.status.$get>;

/** The reserve of a currency. */
export type Reserve = InferResponseType<typeof api.overview.reserve.$get>['reserves'][number];

/** The newest result of a comparison. */
export type Comparison = InferResponseType<typeof api.overview.reserve.$get>['comparisons'][number];

/** A difference that stops the issue of its currency. */
export type Breach = InferResponseType<typeof api.overview.reserve.$get>['breaches'][number];

/** What a signer has left of a resource. */
export type SignerReserve = InferResponseType<typeof api.overview.signers.$get>['signers'][number];

/** How far back a chart goes. */
export type Range = InferRequestType<typeof api.overview.history.$get>['query']['range'];

/** The range that a chart shows first. */
export const firstRange: Range = 'hour';

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => (await api.overview.status.$get({}, { init: { signal } })).json(),
  refetchInterval: statusIntervalMs,
});

export const reserveQuery = queryOptions({
  queryKey: ['status', 'reserve'],
  queryFn: async ({ signal }) => (await api.overview.reserve.$get({}, { init: { signal } })).json(),
  refetchInterval: statusIntervalMs,
  meta: { topics: ['orders', 'bank'] },
});

export const activityQuery = queryOptions({
  queryKey: ['status', 'activity'],
  queryFn: async ({ signal }) => (await api.overview.activity.$get({}, { init: { signal } })).json(),
  refetchInterval: activityIntervalMs,
});

export const signersQuery = queryOptions({
  queryKey: ['status', 'signers'],
  queryFn: async ({ signal }) => (await api.overview.signers.$get({}, { init: { signal } })).json(),
  refetchInterval: samplesIntervalMs,
});

/** The samples of the reserve of a currency. */
export const historyQuery = (currency: string, range: Range) =>
  queryOptions({
    queryKey: ['status', 'history', currency, range],
    queryFn: async ({ signal }) => (await api.overview.history.$get({ query: { currency, range } }, { init: { signal } })).json(),
    refetchInterval: samplesIntervalMs,
    placeholderData: keepPreviousData,
  });
