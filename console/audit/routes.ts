import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';
import { readAuditSearch } from './audit-search.ts';

/** The pages of this folder. */
export const auditRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/audit',
    validateSearch: readAuditSearch,
    component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  }),
] as const;
