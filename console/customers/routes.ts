import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The pages of this folder. */
export const customerRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/customers',
    component: lazyRouteComponent(() => import('./customers-page.tsx'), 'CustomersPage'),
  }),
] as const;
