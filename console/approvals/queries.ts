import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { InferRequestType, InferResponseType } from 'hono/client';
import { api } from '../api/client.ts';

/** What an operator has asked for, and what became of it. */
export type Approval = InferResponseType<typeof api.approvals.$get>['approvals'][number];

/** Those that wait or are under way, or all. */
export type ApprovalFilter = NonNullable<InferRequestType<typeof api.approvals.$get>['query']['state']>;

/** Open approvals that are counted for the navigation at most. */
const mostCounted = 100;

/** How many approvals wait for this operator's decision, of the latest that are open. */
export const approvalsForMeQuery = queryOptions({
  queryKey: ['approvals', 'for me'],
  queryFn: async ({ signal }) => {
    const query = { state: 'open', limit: String(mostCounted) } as const;
    const { approvals } = await (await api.approvals.$get({ query }, { init: { signal } })).json();
    return approvals.filter(({ mayDecide, mayCarryOut }) => mayDecide || mayCarryOut).length;
  },
});

/** A request by its id. */
export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approvals', 'one', id],
    queryFn: async ({ signal }) => (await api.approvals[':id'].$get({ param: { id } }, { init: { signal } })).json(),
  });

/** The approvals, the newest first. */
export const approvalsQuery = (state: ApprovalFilter) =>
  infiniteQueryOptions({
    queryKey: ['approvals', state],
    queryFn: async ({ pageParam, signal }) =>
      (await api.approvals.$get({ query: { state, ...(pageParam !== undefined && { after: pageParam }) } }, { init: { signal } })).json(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
