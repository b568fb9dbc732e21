import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The pages of this folder. */
export const operatorRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/operators',
    staticData: { roles: ['administrator'] },
    component: lazyRouteComponent(() => import('./operators-page.tsx'), 'OperatorsPage'),
  }),
] as const;
