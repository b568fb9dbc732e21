import type { Context } from 'hono';
import { networkOfRequest } from '../../platform/http/client-network.ts';
import type { ApiEnv } from '../api.ts';

/** The network that a request came from, behind `trustedProxies` proxies. */
export function clientNetwork(context: Context<ApiEnv>, trustedProxies: number): string {
  // Without a socket there is no environment, as in tests.
  const { incoming } = (context.env ?? {}) as Partial<ApiEnv['Bindings']>;
  const forwardedFor = context.req.header('X-Forwarded-For');
  return networkOfRequest({ remoteAddress: incoming?.socket.remoteAddress, forwardedFor, trustedProxies });
}
