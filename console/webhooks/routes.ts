import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The pages of this folder. */
export const webhookRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
  }),
] as const;
