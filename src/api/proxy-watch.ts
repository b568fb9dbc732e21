import { startHeartbeat } from '../ledger/lanes/heartbeat-loop.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../platform/log.ts';
import type { Loop } from '../platform/loop.ts';

/** Compares `TRUST_PROXY` with the proxies that the requests of known callers have come through. */
export interface ProxyWatch {
  /** Takes the header `X-Forwarded-For` of a request; undefined where it has none. */
  note(forwardedFor: string | undefined): void;
  /** What is wrong with the setting, by the last requests; undefined while it fits. */
  warning(): { text: string; since: Date } | undefined;
}

/** Requests of which the majority decides: a caller can send any header, and few send more requests than all others together. */
const comparedRequests = 50;

/** Watches the last fifty requests. Before so many have come it says nothing. The log has a line when the warning begins and when it ends. */
export function createProxyWatch(trustedProxies: number, log: Log): ProxyWatch {
  /** How many addresses `X-Forwarded-For` had, the oldest first. */
  const counts: number[] = [];
  let since: Date | undefined;
  const others = () => counts.filter((count) => count !== trustedProxies);
  return {
    note(forwardedFor) {
      counts.push(countAddresses(forwardedFor));
      if (counts.length > comparedRequests) counts.shift();
      const isWrong = counts.length === comparedRequests && others().length > comparedRequests / 2;
      if (isWrong && since === undefined) {
        since = new Date();
        log.warn({ alarm: 'proxies_wrong' }, textOf(trustedProxies, others()));
      } else if (!isWrong && since !== undefined) {
        since = undefined;
        log.info({ alarm: 'proxies_wrong' }, 'the alarm has ended');
      }
    },
    warning: () => since && { text: textOf(trustedProxies, others()), since },
  };
}

/** Shows readers of the ledger that an API runs, and the warning of its watch while that lasts. */
export function startApiHeartbeat({ watch, ledger, log }: { watch: ProxyWatch; ledger: Ledger; log: Log }): Loop {
  const facts = () => {
    const warning = watch.warning();
    return { ok: true, alarms: warning === undefined ? [] : [{ kind: 'proxies_wrong', subject: 'TRUST_PROXY', ...warning }] };
  };
  return startHeartbeat({ ledger, log, component: 'api', chain: '', facts });
}

function countAddresses(forwardedFor: string | undefined): number {
  return forwardedFor === undefined || forwardedFor.trim() === '' ? 0 : forwardedFor.split(',').length;
}

function textOf(trustedProxies: number, others: readonly number[]): string {
  const most = others.toSorted((a, b) => frequency(others, b) - frequency(others, a))[0] ?? 0;
  const proxies = most === 1 ? '1 proxy' : `${most} proxies`;
  const consequence =
    most > trustedProxies
      ? 'if so many are yours, all clients share the address of a proxy, and so its limits'
      : 'if no more are yours, clients can write the address that counts, and so escape their limits';
  return `TRUST_PROXY is ${trustedProxies}, and most of the last ${comparedRequests} requests of known callers do not fit: their X-Forwarded-For shows ${proxies} most often; ${consequence}. Compare this with the proxies that you really run before you change TRUST_PROXY`;
}

function frequency(counts: readonly number[], count: number): number {
  return counts.filter((other) => other === count).length;
}
