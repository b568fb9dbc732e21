import { queryOptions } from '@tanstack/react-query';
import { request } from './request.ts';

/** What an operator may do (docs/console.md, Roles). */
export type Role = 'viewer' | 'reviewer' | 'treasurer' | 'administrator';

/** The operator who is signed in, and what the pages need to know of the service. */
export interface Session {
  name: string;
  role: Role;
  /** The names of the actions that the role may. */
  actions: string[];
  /** Whether what moves money or grants power takes a second person. */
  fourEyes: boolean;
  environment: string;
  serviceName: string;
  /** The address of the explorer of each network that has one, without a slash at its end. */
  explorers?: Record<string, string>;
}

/** The session of this browser; answers with status 401 when nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => (await (await request('/api/me', { signal })).json()) as Session,
  staleTime: Number.POSITIVE_INFINITY,
});
