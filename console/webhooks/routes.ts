import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The states of deliveries. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const;

/** The types of events. */
export const eventTypes = ['iban.updated', 'order.created', 'order.updated', 'profile.error', 'profile.updated'] as const;

/** What of the deliveries is shown. */
export interface DeliverySearch {
  subscription?: string;
  state?: (typeof deliveryStates)[number];
  type?: (typeof eventTypes)[number];
}

/** The pages of this folder. */
export const webhookRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/webhooks',
    validateSearch: ({ subscription, state, type }: Record<string, unknown>): DeliverySearch => ({
      ...(typeof subscription === 'string' && { subscription }),
      ...only('state', deliveryStates, state),
      ...only('type', eventTypes, type),
    }),
    component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/webhooks/deliveries/$id',
    component: lazyRouteComponent(() => import('./delivery-page.tsx'), 'DeliveryPage'),
  }),
] as const;

/** The value under its name, if it is one of those that there are. */
function only<Name extends string, Value extends string>(name: Name, known: readonly Value[], value: unknown): { [Key in Name]?: Value } {
  const match = known.find((candidate) => candidate === value);
  return (match === undefined ? {} : { [name]: match }) as { [Key in Name]?: Value };
}
