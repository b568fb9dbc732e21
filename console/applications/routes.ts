import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The pages of this folder. */
export const applicationRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/applications',
    component: lazyRouteComponent(() => import('./applications-page.tsx'), 'ApplicationsPage'),
  }),
] as const;
