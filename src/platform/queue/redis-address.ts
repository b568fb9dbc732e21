/** ioredis' options by which the primary of a Redis is found and kept, and the URL where it is one. */
export interface RedisAddress {
  url?: string;
  sentinels?: { host: string; port: number }[];
  name?: string;
  username?: string;
  password?: string;
  sentinelCommandTimeout?: number;
  socketTimeout: number;
  reconnectOnError: (error: Error) => 1 | 2 | false;
}

/** `redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME`; user and password are those of the primary, and may be left out. */
const sentinelUrl = /^redis\+sentinel:\/\/(?:([^:@/]*):([^@/]*)@)?([^@/]+)\/([^/?#]+)$/;

const sentinelPort = 26_379;

/** A primary that answers nothing for so long may have become another machine's. A worker asks for wake-ups every five seconds. */
const silenceMs = 10_000;

/** A Sentinel that does not say by then which server is the primary is frozen, and the next one is asked. */
const sentinelTimeoutMs = 2_000;

/** Whether a text can be `REDIS_URL`. */
export function isRedisUrl(text: string): boolean {
  return sentinelUrl.test(text) || (URL.canParse(text) && ['redis:', 'rediss:'].includes(new URL(text).protocol));
}

/**
 * The connection's options for `REDIS_URL`. It is made anew, with Sentinels to the primary that they name then, when the server is gone, turns out to be no
 * primary any more, or is silent. Not with ioredis' `failoverDetector`: news of another primary that come while a connection is being made end it for good.
 */
export function redisAddress(url: string): RedisAddress {
  const followsPrimary = { socketTimeout: silenceMs, reconnectOnError };
  const [, username, password, hosts, name] = sentinelUrl.exec(url) ?? [];
  if (hosts === undefined || name === undefined) return { url, ...followsPrimary };
  return {
    sentinels: hosts.split(',').map(sentinelOf),
    name: decodeURIComponent(name),
    sentinelCommandTimeout: sentinelTimeoutMs,
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...followsPrimary,
  };
}

/** 2 makes a connection and sends the command again: a replica has not carried it out. A command that was waiting there is the caller's to repeat. */
function reconnectOnError({ message }: Error): 1 | 2 | false {
  if (message.startsWith('READONLY')) return 2;
  return message.startsWith('UNBLOCKED') && 1;
}

function sentinelOf(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? sentinelPort : Number(port) };
}
