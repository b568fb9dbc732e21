import { expect, it } from 'vitest';
import { isRedisUrl, redisAddress } from '../../../src/platform/queue/redis-address.ts';

it.each(['redis://127.0.0.1:6379', 'rediss://:secret@redis.example/1', 'redis+sentinel://a,b:26380/queues'])(
  '%s leads to a Redis',
  (url) => {
    expect(isRedisUrl(url)).toBe(true);
  },
);

it.each(['', 'redis', '127.0.0.1:6379', 'https://redis.example', 'redis+sentinel://a,b'])('%j does not', (url) => {
  expect(isRedisUrl(url)).toBe(false);
});

it('finds a primary by its Sentinels, with a port of their own or the usual one', () => {
  expect(redisAddress('redis+sentinel://mint%2Frail:s3cret@a.example,b.example:5000,[::1]:5001/main')).toMatchObject({
    name: 'main',
    username: 'mint/rail',
    password: 's3cret',
    sentinels: [
      { host: 'a.example', port: 26_379 },
      { host: 'b.example', port: 5_000 },
      { host: '::1', port: 5_001 },
    ],
  });
});
