import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The pages of this folder. */
export const auditRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/audit',
    component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  }),
] as const;
