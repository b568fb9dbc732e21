import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The pages of this folder. */
export const networkRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/networks',
    component: lazyRouteComponent(() => import('./networks-page.tsx'), 'NetworksPage'),
  }),
] as const;
