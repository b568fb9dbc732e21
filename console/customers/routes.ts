import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';
import { customerSearch } from './search.ts';

/** The pages of this folder. */
export const customerRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/customers',
    validateSearch: customerSearch,
    component: lazyRouteComponent(() => import('./customers-page.tsx'), 'CustomersPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/customers/$id',
    component: lazyRouteComponent(() => import('./customer-page.tsx'), 'CustomerPage'),
  }),
] as const;
