import { randomUUID } from 'node:crypto';
import { recordHeartbeat } from '../ledger/lanes/heartbeats.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';

/** Compares `TRUST_PROXY` with the proxies that the requests of known callers have come through. */
export interface ProxyWatch {
  /** Takes the header `X-Forwarded-For` of a request; undefined where it has none. */
  note(forwardedFor: string | undefined): void;
  /** What is wrong with the setting, by the last requests; undefined while it fits. */
  warning(): { text: string; since: Date } | undefined;
}

/** Requests of which the majority decides: a caller can send any header, and few send more requests than all others together. */
const comparedRequests = 50;

/** Between two looks at what is to be reported; readers wait for several. */
const intervalMs = 2_000;

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

/** Reports the warning of a watch in heartbeats, for `mintrail status`, as long as it lasts. An API without one writes none. */
export function startProxyReport({ watch, ledger, log }: { watch: ProxyWatch; ledger: Ledger; log: Log }): Loop {
  const instance = randomUUID();
  let isReported = false;
  const turn = async () => {
    const warning = watch.warning();
    if (warning === undefined && !isReported) return;
    const alarms = warning === undefined ? [] : [{ kind: 'proxies_wrong', subject: 'TRUST_PROXY', ...warning }];
    await recordHeartbeat(ledger, { component: 'api', chain: '', instance, facts: { ok: true, alarms } });
    isReported = warning !== undefined;
  };
  return startLoop({ name: 'proxies', intervalMs, log, turn });
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
