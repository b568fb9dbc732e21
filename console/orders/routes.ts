import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';
import type { OrderFilter } from './queries.ts';

const filterNames = ['q', 'as', 'state', 'kind', 'chain', 'currency', 'profile', 'from', 'until'] as const;

/** The pages of this folder. */
export const orderRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/orders',
    validateSearch: readFilter,
    component: lazyRouteComponent(() => import('./orders-page.tsx'), 'OrdersPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/orders/$id',
    component: lazyRouteComponent(() => import('./order-page.tsx'), 'OrderPage'),
  }),
] as const;

/** The texts of the address; the server says which of them it does not know. A text that looks like a number is one for the router. */
function readFilter(search: Record<string, unknown>): OrderFilter {
  const texts = filterNames.flatMap((name) => {
    const value = search[name];
    const text = typeof value === 'number' ? String(value) : value;
    return typeof text === 'string' && text !== '' ? [[name, text]] : [];
  });
  return Object.fromEntries(texts) as OrderFilter;
}
