import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** Which transactions of the Safes are shown. */
export interface NetworkSearch {
  transactions?: 'all';
}

/** The pages of this folder. */
export const networkRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/networks',
    validateSearch: ({ transactions }: Record<string, unknown>): NetworkSearch => (transactions === 'all' ? { transactions } : {}),
    component: lazyRouteComponent(() => import('./networks-page.tsx'), 'NetworksPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/networks/transactions/$id',
    component: lazyRouteComponent(() => import('./safe-transaction-page.tsx'), 'SafeTransactionPage'),
  }),
] as const;
