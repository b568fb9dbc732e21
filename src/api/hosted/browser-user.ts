import { findDeviceUser } from '../../ledger/access/known-devices.ts';
import { findSession } from '../../ledger/access/sessions.ts';
import type { ApiDependencies } from '../api.ts';
import type { IdentifyBrowser } from '../middlewares/rate-limit.ts';
import { deviceSecret, sessionSecret } from './browser.ts';

/** Whether a path is that of a hosted page. */
export function isHostedPath(path: string): boolean {
  return /^\/(account|authorize)(\/|$)/.test(path);
}

/** Finds the users of browsers by their cookies. */
export function createIdentifyBrowser({ ledger, settings }: Pick<ApiDependencies, 'ledger' | 'settings'>): IdentifyBrowser {
  return async (context) => {
    if (!isHostedPath(context.req.path)) return undefined;
    const [session, device] = [sessionSecret(context, settings), deviceSecret(context, settings)];
    const user = session === undefined ? undefined : await findSession(ledger, session);
    return user?.id ?? (device === undefined ? undefined : findDeviceUser(ledger, device));
  };
}
