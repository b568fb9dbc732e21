import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queryClient } from '../api/query-client.ts';
import { appRoute } from '../shell/root-routes.tsx';
import { activityQuery, firstRange, historyQuery, reserveQuery, signersQuery, statusQuery } from './queries.ts';

/** The pages of this folder. */
export const overviewRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/',
    loader: readAtOnce,
    component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
  }),
] as const;

/** Asks for all that the page shows while its code is loaded. Its parts would ask one after the other; what fails here they ask again, and say so. */
function readAtOnce(): void {
  void queryClient.prefetchQuery(statusQuery);
  void queryClient.prefetchQuery(activityQuery);
  void queryClient.prefetchQuery(signersQuery);
  void readReserve();
}

async function readReserve(): Promise<void> {
  await queryClient.prefetchQuery(reserveQuery);
  const currency = queryClient.getQueryData(reserveQuery.queryKey)?.reserves[0]?.currency;
  if (currency !== undefined) await queryClient.prefetchQuery(historyQuery(currency, firstRange));
}
