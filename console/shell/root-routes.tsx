import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { isSignedOut } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { type Role, sessionQuery } from '../api/session.ts';
import { Shell } from './shell.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The roles that may see the page; all may when it is not set. An administrator may always. */
    roles?: readonly Role[];
  }
}

/** The root of all pages. */
export const rootRoute = createRootRoute({ component: Outlet });

/** The parent of all pages that need a session. Who has none goes to the sign-in, and comes back afterwards. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (isSignedOut(error)) throw redirect({ to: '/sign-in', search: { return: location.href }, replace: true });
      throw error;
    }
  },
  component: Shell,
});
