import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The pages of this folder. */
export const approvalRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/approvals',
    component: lazyRouteComponent(() => import('./approvals-page.tsx'), 'ApprovalsPage'),
  }),
] as const;
