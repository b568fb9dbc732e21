import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The request that is shown, by its id. */
export interface ApprovalSearch {
  approval?: string;
}

/** The pages of this folder. */
export const approvalRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/approvals',
    validateSearch: ({ approval }: Record<string, unknown>): ApprovalSearch => (typeof approval === 'string' ? { approval } : {}),
    component: lazyRouteComponent(() => import('./approvals-page.tsx'), 'ApprovalsPage'),
  }),
] as const;
