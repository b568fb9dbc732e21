import { Resolver } from 'node:dns/promises';
import type { Resolve } from './target.ts';

/** How long a name server has to answer, and how often it is asked: the most that the owner of a name can delay us. */
const timeoutMs = 2_000;
const tries = 2;

/** Names of the own machine, which are not looked up (RFC 6761, section 6.3). */
const localhost = /(^|\.)localhost\.?$/;

/** Codes for a name without addresses, in contrast to an outage. */
const absentCodes = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Looks names up by DNS alone, at these name servers or at the system's. `dns.lookup` would occupy one of the four threads
 * that files and passwords need, for as long as the name server of an attacker's name likes.
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
    // An outage is reported rather than the absence of addresses of the other family.
    throw failures.find(({ code = '' }) => !absentCodes.has(code)) ?? failures[0] ?? new Error(`${hostname} has no address`);
  };
}
