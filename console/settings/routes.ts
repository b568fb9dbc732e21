import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../shell/root-routes.tsx';

/** The pages of this folder. */
export const settingRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/settings',
    staticData: { roles: ['administrator'] },
    component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
  }),
] as const;
