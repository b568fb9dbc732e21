import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';
import { closingSearch, paymentSearch, unmatchedSearch } from './search.ts';

/** The pages of this folder: a tab each. */
export const bankRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank',
    validateSearch: unmatchedSearch,
    component: lazyRouteComponent(() => import('./unmatched-page.tsx'), 'UnmatchedPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank/files',
    component: lazyRouteComponent(() => import('./files-page.tsx'), 'FilesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank/files/$hash',
    component: lazyRouteComponent(() => import('./file-page.tsx'), 'FilePage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank/debits',
    component: lazyRouteComponent(() => import('./debits-page.tsx'), 'DebitsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank/claims',
    component: lazyRouteComponent(() => import('./claims-page.tsx'), 'ClaimsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank/recalls',
    component: lazyRouteComponent(() => import('./recalls-page.tsx'), 'RecallsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank/payments',
    validateSearch: paymentSearch,
    component: lazyRouteComponent(() => import('./payments-page.tsx'), 'PaymentsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank/payment-files',
    component: lazyRouteComponent(() => import('./payment-files-page.tsx'), 'PaymentFilesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank/statements',
    component: lazyRouteComponent(() => import('./statements-page.tsx'), 'StatementsPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/bank/closing',
    validateSearch: closingSearch,
    component: lazyRouteComponent(() => import('./closing-page.tsx'), 'ClosingPage'),
  }),
] as const;
