import { createRouter } from '@tanstack/react-router';
import { accountRoutes } from './account/routes.ts';
import { applicationRoutes } from './applications/routes.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { bankRoutes } from './bank/routes.ts';
import { customerRoutes } from './customers/routes.ts';
import { networkRoutes } from './networks/routes.ts';
import { operatorRoutes } from './operators/routes.ts';
import { orderRoutes } from './orders/routes.ts';
import { overviewRoutes } from './overview/routes.ts';
import { settingRoutes } from './settings/routes.ts';
import { ErrorPage } from './shell/error-page.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { appRoute, rootRoute } from './shell/root-routes.tsx';
import { signInRoutes } from './sign-in/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

const routeTree = rootRoute.addChildren([
  ...signInRoutes,
  appRoute.addChildren([
    ...overviewRoutes,
    ...orderRoutes,
    ...customerRoutes,
    ...bankRoutes,
    ...networkRoutes,
    ...webhookRoutes,
    ...approvalRoutes,
    ...applicationRoutes,
    ...operatorRoutes,
    ...auditRoutes,
    ...settingRoutes,
    ...accountRoutes,
  ]),
]);

/** All pages by their addresses. Each page's folder has its own routes. */
export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
