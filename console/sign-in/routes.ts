import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../shell/root-routes.tsx';
import { SignInPage } from './sign-in-page.tsx';

/** What the sign-in needs to know: where to go afterwards, and whether a session has ended. */
interface SignInSearch {
  return?: string;
  ended?: boolean;
}

/** The pages of those who are not signed in. */
export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: (search: Record<string, unknown>): SignInSearch => ({
      ...(typeof search['return'] === 'string' && isOwnPage(search['return']) && { return: search['return'] }),
      ...(search['ended'] === true && { ended: true }),
    }),
    // Not by itself: a session also ends while the console does not answer.
    component: SignInPage,
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in/link',
    component: lazyRouteComponent(() => import('./link-page.tsx'), 'LinkPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invitation',
    component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
  }),
] as const;

/** A page of this console: no other host, which `//host` would be. */
function isOwnPage(address: string): boolean {
  return /^\/(?![/\\])/.test(address);
}
