import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The pages of this folder. */
export const bankRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank',
    component: lazyRouteComponent(() => import('./bank-page.tsx'), 'BankPage'),
  }),
] as const;
