import type { Context } from 'hono';
import type { ApiEnv } from '../api.ts';

/**
 * The network address that a request came from: that of the connection, or behind `proxies` trusted proxies the one that
 * the outermost of them saw. What stands further left in X-Forwarded-For was written by the client.
 */
export function clientAddress(context: Context<ApiEnv>, proxies: number): string {
  // Without a socket there is no environment, as in tests.
  const { incoming } = (context.env ?? {}) as Partial<ApiEnv['Bindings']>;
  const connected = incoming?.socket.remoteAddress ?? '';
  if (proxies === 0) return network(connected);
  const forwarded = (context.req.header('X-Forwarded-For') ?? '').split(',').map((part) => part.trim());
  return network(forwarded.at(-proxies) || connected);
}

/** An IPv4 address, or the /64 network of an IPv6 address, which is what one customer of a provider has. */
export function network(address: string): string {
  const plain = address.toLowerCase().replace(/^\[|\](:\d+)?$|%.*$/g, '');
  const [, mapped] = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?$/.exec(plain) ?? [];
  if (mapped !== undefined) return mapped;
  if (!plain.includes(':')) return plain.slice(0, 45);
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const groups = [...left, ...zeros, ...right].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '').slice(0, 4));
  return `${groups.join(':')}::/64`;
}
