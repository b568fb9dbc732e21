import type { Context } from 'hono';
import { isLoopbackHost } from '../../platform/http/loopback-host.ts';
import type { ApiEnv } from '../api.ts';
import { notAllowed } from './errors.ts';

const loopbackAddress = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/;

/** What proxies add: the caller behind one may be on another machine. */
const proxyHeaders = ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP'];

/**
 * Throws 403 `not_allowed` unless the caller is on this machine and not a page of another origin. The host must be a loopback name.
 */
export function requireSameMachine(context: Context<ApiEnv>): void {
  const isSameMachine = hasLoopbackAddress(context) && !proxyHeaders.some((name) => context.req.header(name) !== undefined);
  if (!isSameMachine || !isOwnPage(context)) throw notAllowed('This is answered on the machine of the sandbox only');
}

/** Without a socket, as in tests, there is no other machine. */
function hasLoopbackAddress(context: Context<ApiEnv>): boolean {
  const { incoming } = (context.env ?? {}) as Partial<ApiEnv['Bindings']>;
  return loopbackAddress.test(incoming?.socket.remoteAddress ?? '127.0.0.1');
}

/** Programs, such as curl, send neither `Origin` nor `Sec-Fetch-Site`. */
function isOwnPage({ req }: Context<ApiEnv>): boolean {
  const host = req.header('Host') ?? new URL(req.url).host;
  const origin = req.header('Origin') ?? `http://${host}`;
  const isSameOrigin = [`http://${host}`, `https://${host}`].includes(origin);
  return isLoopbackHost(host) && isSameOrigin && req.header('Sec-Fetch-Site') !== 'cross-site';
}
