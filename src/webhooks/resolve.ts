import { Resolver } from 'node:dns/promises';
import type { Resolve } from './target.ts';

/** Of a name server, before the next is asked; what a name's owner can cost us. */
const timeoutMs = 2_000;
const tries = 2;

/** Names of the own machine, which no name server is asked for (RFC 6761, section 6.3). */
const localhost = /(^|\.)localhost\.?$/;

/** What says that there is no such address, in contrast to an outage. */
const absent = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Looks names up by DNS alone, at the name servers of the system or at those given. The system's own look-up would occupy one of four threads that files and passwords need,
 * for as long as the name server of whoever chose the name pleases.
 */
export function createResolve(servers?: string[]): Resolve {
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    if (localhost.test(hostname)) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : []));
    if (addresses.length > 0) return addresses;
    throw failures.find(({ code = '' }) => !absent.has(code)) ?? failures[0] ?? new Error(`${hostname} has no address`);
  };
}
