import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { InferResponseType } from 'hono/client';
import { api } from '../api/client.ts';
import type { PaymentSearch } from './search.ts';

const pages = { initialPageParam: undefined as string | undefined, getNextPageParam: ({ next }: { next?: string | undefined }) => next };
const refusedIntervalMs = 30_000;

/** An unmatched credit. */
export type Credit = InferResponseType<typeof api.bank.unmatched.$get>['rows'][number];
/** A debit that waits to be explained. */
export type Debit = InferResponseType<typeof api.bank.debits.$get>['rows'][number];
/** A claim. */
export type Claim = InferResponseType<typeof api.bank.claims.$get>['rows'][number];
/** A recall that waits for an answer. */
export type Recall = InferResponseType<typeof api.bank.recalls.$get>['rows'][number];
/** A payment to the bank. */
export type Payment = InferResponseType<typeof api.bank.payments.$get>['rows'][number];
/** A pain.001 file. */
export type PaymentFile = InferResponseType<(typeof api.bank)['payment-files']['$get']>['rows'][number];
/** An imported file. */
export type BankFile = InferResponseType<typeof api.bank.files.$get>['files'][number];
/** What an import did. */
export type FileReport = InferResponseType<typeof api.bank.files.$post, 200>;
/** A file that the inbox refused. */
export type RefusedFile = InferResponseType<typeof api.bank.files.refused.$get>['files'][number];
/** A statement. */
export type Statement = InferResponseType<typeof api.bank.statements.$get>['rows'][number];
/** Credits of an account that its statements lack. */
export type AwaitedCredits = InferResponseType<typeof api.bank.awaited.$get>['awaited'][number];
/** The closing of a day. */
export type Closing = InferResponseType<(typeof api.bank.closing)[':day']['$get'], 200>;

export const waitingQuery = queryOptions({
  queryKey: ['bank', 'waiting'],
  queryFn: async ({ signal }) => (await api.bank.waiting.$get({}, { init: { signal } })).json(),
});

/** The unmatched credits, or only the one with a reference. */
export const unmatchedQuery = (only: string | undefined) =>
  infiniteQueryOptions({
    ...pages,
    queryKey: ['bank', 'unmatched', only],
    queryFn: async ({ pageParam: after, signal }) => {
      const query = { ...(after !== undefined && { after }), ...(only !== undefined && { only }) };
      return (await api.bank.unmatched.$get({ query }, { init: { signal } })).json();
    },
  });

export const filesQuery = infiniteQueryOptions({
  ...pages,
  queryKey: ['bank', 'files'],
  queryFn: async ({ pageParam: after, signal }) =>
    (await api.bank.files.$get({ query: after === undefined ? {} : { after } }, { init: { signal } })).json(),
});

/** No topic covers a folder. */
export const refusedQuery = queryOptions({
  queryKey: ['bank', 'refused'],
  queryFn: async ({ signal }) => (await api.bank.files.refused.$get({}, { init: { signal } })).json(),
  refetchInterval: refusedIntervalMs,
});

export const fileQuery = (hash: string) =>
  queryOptions({
    queryKey: ['bank', 'file', hash],
    queryFn: async ({ signal }) => (await api.bank.files[':hash'].$get({ param: { hash } }, { init: { signal } })).json(),
  });

export const debitsQuery = queryOptions({
  queryKey: ['bank', 'debits'],
  queryFn: async ({ signal }) => (await api.bank.debits.$get({ query: {} }, { init: { signal } })).json(),
});

export const claimsQuery = queryOptions({
  queryKey: ['bank', 'claims'],
  queryFn: async ({ signal }) => (await api.bank.claims.$get({ query: {} }, { init: { signal } })).json(),
});

export const recallsQuery = queryOptions({
  queryKey: ['bank', 'recalls'],
  queryFn: async ({ signal }) => (await api.bank.recalls.$get({ query: {} }, { init: { signal } })).json(),
});

export const statementsQuery = queryOptions({
  queryKey: ['bank', 'statements'],
  queryFn: async ({ signal }) => (await api.bank.statements.$get({ query: {} }, { init: { signal } })).json(),
});

export const awaitedQuery = queryOptions({
  queryKey: ['bank', 'awaited'],
  queryFn: async ({ signal }) => (await api.bank.awaited.$get({}, { init: { signal } })).json(),
});

export const paymentsQuery = (search: PaymentSearch) =>
  infiniteQueryOptions({
    ...pages,
    queryKey: ['bank', 'payments', search],
    queryFn: async ({ pageParam: after, signal }) =>
      (await api.bank.payments.$get({ query: { ...search, ...(after !== undefined && { after }) } }, { init: { signal } })).json(),
  });

export const paymentFilesQuery = infiniteQueryOptions({
  ...pages,
  queryKey: ['bank', 'payment-files'],
  queryFn: async ({ pageParam: after, signal }) =>
    (await api.bank['payment-files'].$get({ query: after === undefined ? {} : { after } }, { init: { signal } })).json(),
});

export const closingQuery = (day: string) =>
  queryOptions({
    queryKey: ['bank', 'closing', day],
    queryFn: async ({ signal }) => (await api.bank.closing[':day'].$get({ param: { day } }, { init: { signal } })).json(),
  });
