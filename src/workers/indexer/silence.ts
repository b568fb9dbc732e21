/**
 * Notices that something has stopped giving signs of life. The returned function takes each sign as it is read, such as the time of a heartbeat, and
 * answers whether it has been the same for longer than `limitMs`; then it begins anew. What cannot be read is not to be given to it: it says nothing.
 */
export function createSilenceWatch(limitMs: number, now: () => number = Date.now): (sign: string | undefined) => boolean {
  let last: { sign: string | undefined; since: number } | undefined;
  return (sign) => {
    if (last === undefined || last.sign !== sign) last = { sign, since: now() };
    const silent = now() - last.since > limitMs;
    if (silent) last = undefined;
    return silent;
  };
}
