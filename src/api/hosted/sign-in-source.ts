import type { Context } from 'hono';
import type { RequestSource } from '../../ledger/accounts/notices.ts';
import { browserName } from '../../platform/http/browser-name.ts';
import type { Settings } from '../../platform/settings.ts';
import type { ApiEnv } from '../api.ts';
import { clientNetwork } from '../middlewares/client-network.ts';

/** The browser and the network address of a request, as its user will recognise them, and its correlation id. */
export function signInSource(context: Context<ApiEnv>, { trustedProxies }: Pick<Settings, 'trustedProxies'>): RequestSource {
  const browser = browserName(context.req.header('User-Agent') ?? '');
  return { browser, network: clientNetwork(context, trustedProxies) || 'unknown', correlationId: context.var.correlationId };
}
