import { RpcRequestError } from 'viem';
import { expect, it } from 'vitest';
import { answerOrRefusal } from '../../src/chain/node-answer.ts';

const error = (code: number, message: string) => new RpcRequestError({ body: {}, url: '', error: { code, message } });

/** What a request comes to that a node always answers with an error. */
const outcome = (failure: Error) =>
  answerOrRefusal(
    () => Promise.reject(failure),
    () => Promise.resolve(),
  );

it.each([
  error(-32_005, 'Limit exceeded'),
  error(-32_029, 'slow down'),
  error(429, 'exceeded its compute units per second capacity'),
  error(-32_000, 'rate limit exceeded'),
])('a limit of requests is an outage: $code $details', async (failure) => {
  await expect(outcome(failure)).rejects.toBe(failure);
});

it.each([
  error(-32_005, 'query returned more than 10000 results'),
  error(-32_000, 'block range is too wide'),
  error(3, 'execution reverted: rate limit exceeded'),
])('what a node says of the one request is its refusal: $code $details', async (failure) => {
  expect(await outcome(failure)).toEqual({ refusal: failure.details });
});
