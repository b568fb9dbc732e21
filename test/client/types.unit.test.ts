import { describe, expectTypeOf, it } from 'vitest';
import type { AnswerOf, BodyOf, Client, PagedItem, PagedPaths, PathsOf, Schemas } from '../../client/index.ts';

/** Never called: what is in it need only compile, and every line below an expected error must not. */
export async function compiles(client: Client, order: Schemas['OrderRequest']) {
  await client.get('/countries');
  await client.get('/orders', { query: { state: ['placed'], limit: 10 } });
  await client.get('/orders', { query: { limit: undefined, after: undefined }, idempotencyKey: undefined, headers: undefined });
  await client.get('/orders/{orderId}', { path: { orderId: '1' } });
  await client.post('/orders', { body: order, idempotencyKey: 'one' });
  // @ts-expect-error -- there is no such path
  await client.get('/order');
  // @ts-expect-error -- the path needs its parameter
  await client.get('/orders/{orderId}');
  // @ts-expect-error -- by its right name
  await client.get('/orders/{orderId}', { path: { id: '1' } });
  // @ts-expect-error -- a body is needed
  await client.post('/orders');
  // @ts-expect-error -- without wrong values
  await client.post('/orders', { body: { ...order, currency: 'dem' } });
  // @ts-expect-error -- and without fields that do not exist
  await client.post('/ibans', { body: { address: '0x', chain: 'gnosis', adress: '0x' } });
  // @ts-expect-error -- a query has known names
  await client.get('/orders', { query: { status: 'placed' } });
  // @ts-expect-error -- and known values
  await client.get('/orders', { query: { state: ['paid'] } });
  // @ts-expect-error -- a form is not JSON: the client asks for tokens itself
  await client.post('/auth/token', { body: {} });
  // @ts-expect-error -- an upload is not JSON
  await client.post('/files', { body: {} });
  // @ts-expect-error -- not every answer is a list
  client.pages('/countries/{code}');
  const answer = await client.request('post', '/orders', { body: order });
  if (answer.status === 200) expectTypeOf(answer.body.id).toEqualTypeOf<string>();
  // @ts-expect-error -- an order that waits for its signature is not answered
  else return answer.body.id;
}

describe('the types of the client', () => {
  it('know the body of an answer by its path', () => {
    expectTypeOf<BodyOf<'get', '/orders/{orderId}'>>().toEqualTypeOf<Schemas['Order']>();
    expectTypeOf<BodyOf<'post', '/orders'>>().toEqualTypeOf<Schemas['Order'] | Schemas['Accepted']>();
  });

  it('know the body of an answer by its status', () => {
    expectTypeOf<Extract<AnswerOf<'post', '/ibans'>, { status: 304 }>['body']>().toEqualTypeOf<undefined>();
    expectTypeOf<Extract<AnswerOf<'post', '/ibans'>, { status: 202 }>['body']>().toEqualTypeOf<Schemas['Accepted']>();
  });

  it('know what is in a list', () => {
    expectTypeOf<PagedItem<'/orders'>>().toEqualTypeOf<Schemas['Order']>();
    expectTypeOf<'/orders'>().toExtend<PagedPaths>();
  });

  it('offer what speaks JSON, and nothing else', () => {
    expectTypeOf<Extract<PathsOf<'post'>, '/auth' | '/auth/token' | '/files'>>().toEqualTypeOf<never>();
    expectTypeOf<'/profiles/{profile}/form'>().toExtend<PathsOf<'patch'>>();
    expectTypeOf<Extract<PathsOf<'patch'>, '/orders'>>().toEqualTypeOf<never>();
  });
});
