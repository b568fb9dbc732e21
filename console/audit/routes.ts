import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** Which entries are shown. */
export interface AuditSearch {
  actor?: string;
  subject?: string;
  action?: string;
}

const names = ['actor', 'subject', 'action'] as const;

/** The pages of this folder. */
export const auditRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/audit',
    validateSearch: (search: Record<string, unknown>): AuditSearch =>
      Object.fromEntries(
        names.filter((name) => typeof search[name] === 'string' && search[name] !== '').map((name) => [name, search[name]]),
      ),
    component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  }),
] as const;
