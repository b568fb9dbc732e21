import { infiniteQueryOptions } from '@tanstack/react-query';
import type { InferRequestType, InferResponseType } from 'hono/client';
import { api } from '../api/client.ts';

/** What an operator has asked for, and what became of it. */
export type Approval = InferResponseType<typeof api.approvals.$get>['approvals'][number];

/** Those that wait or are under way, or all. */
export type ApprovalFilter = NonNullable<InferRequestType<typeof api.approvals.$get>['query']['state']>;

/** The approvals, the newest first. */
export const approvalsQuery = (state: ApprovalFilter) =>
  infiniteQueryOptions({
    queryKey: ['approvals', state],
    queryFn: async ({ pageParam, signal }) =>
      (await api.approvals.$get({ query: { state, ...(pageParam !== undefined && { after: pageParam }) } }, { init: { signal } })).json(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
