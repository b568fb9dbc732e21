import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The pages of this folder. */
export const orderRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/orders',
    validateSearch: (search: Record<string, unknown>): { q?: string } => (typeof search['q'] === 'string' ? { q: search['q'] } : {}),
    component: lazyRouteComponent(() => import('./orders-page.tsx'), 'OrdersPage'),
  }),
] as const;
