import { describe, expect, it, vi } from 'vitest';
import { createProxyWatch } from '../../src/api/proxy-watch.ts';
import { createLog, type Log } from '../../src/platform/log.ts';

const times = (count: number, forwardedFor: string | undefined) => Array.from({ length: count }, () => forwardedFor);

/** The warning after requests with these headers. */
function warningAfter(trustedProxies: number, ...requests: (string | undefined)[][]): string | undefined {
  const watch = createProxyWatch(trustedProxies, createLog('silent'));
  for (const forwardedFor of requests.flat()) watch.note(forwardedFor);
  return watch.warning()?.text;
}

describe('a warning of TRUST_PROXY', () => {
  it.each([
    [
      'a proxy that nobody counted',
      0,
      '192.0.2.7',
      'shows 1 proxy most often; if so many are yours, all clients share the address of a proxy',
    ],
    ['a proxy behind another', 1, '192.0.2.7, 192.0.2.8', 'shows 2 proxies most often'],
    [
      'a proxy that is not there',
      1,
      undefined,
      'shows 0 proxies most often; if no more are yours, clients can write the address that counts',
    ],
  ])('names %s by the majority of fifty requests', (_, trustedProxies, forwardedFor, text) => {
    const fits = trustedProxies === 0 ? undefined : '192.0.2.1';
    expect(warningAfter(trustedProxies, times(50, forwardedFor))).toContain(text);
    expect(warningAfter(trustedProxies, times(24, fits), times(26, forwardedFor))).toContain(text);
    expect(warningAfter(trustedProxies, times(25, fits), times(25, forwardedFor))).toBeUndefined();
    expect(warningAfter(trustedProxies, times(49, forwardedFor))).toBeUndefined();
    expect(warningAfter(trustedProxies, times(50, fits))).toBeUndefined();
  });

  it('names the number that most show now, and asks to compare it before the setting is changed', () => {
    const watch = createProxyWatch(1, createLog('silent'));
    for (const forwardedFor of times(50, undefined)) watch.note(forwardedFor);
    const before = watch.warning();
    for (const forwardedFor of times(40, '192.0.2.7, 192.0.2.8')) watch.note(forwardedFor);
    expect(before?.text).toContain('0 proxies');
    expect(watch.warning()?.text).toContain('2 proxies');
    expect(watch.warning()?.text).toMatch(/Compare .* with the proxies that you really run before you change/);
    expect(watch.warning()?.since).toEqual(before?.since);
  });

  it('ends when the majority fits, and has one line in the log for its beginning and one for its end', () => {
    const [warn, info] = [vi.fn(), vi.fn()];
    const watch = createProxyWatch(1, { warn, info } as unknown as Log);
    for (const forwardedFor of [...times(80, undefined), ...times(25, '192.0.2.7')]) watch.note(forwardedFor);
    expect(watch.warning()).toBeUndefined();
    expect([warn.mock.calls.length, info.mock.calls.length]).toEqual([1, 1]);
  });
});
