import { queryOptions } from '@tanstack/react-query';
import type { InferResponseType } from 'hono/client';
import { api } from './client.ts';

/** The operator who is signed in, and what the pages need to know of the service. */
export type Session = InferResponseType<typeof api.me.$get>;

/** What an operator may do (docs/console.md, Roles). */
export type Role = Session['role'];

/** The session of this browser; answers with status 401 when nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => (await api.me.$get({}, { init: { signal } })).json(),
  staleTime: Number.POSITIVE_INFINITY,
});
