import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient, MintrailApiError, MintrailUnreachableError, type Order } from '../../client/index.ts';
import { createServedApi, first, refusal } from './served-api.ts';
import { pdf } from '../support/documents.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const api = forWholeFile(createServedApi);
beforeEach(() => {
  api.interfere(() => false);
  api.heard.length = 0;
});

const iban = 'DE89370400440532013000';
const payer = () => api.payer(iban);

async function thrownBy(call: Promise<unknown>): Promise<MintrailApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(MintrailApiError);
  return error as MintrailApiError;
}

describe('the client', () => {
  it('places an order and reads it', async () => {
    const { client, wallet, order } = await payer();
    const placed = await client.post('/orders', { body: await order('10.50') });
    if (!('id' in placed)) throw new Error('it waits for no signature');
    const read = await client.get('/orders/{orderId}', { path: { orderId: placed.id } });
    expect(read).toMatchObject({ id: placed.id, amount: '10.50', address: wallet.address, counterpart: { identifier: { iban } } });
  });

  it('tells by the status whether an order waits for its signature', async () => {
    const { client, order } = await payer();
    const answer = await client.request('post', '/orders', { body: await order('1.00') });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-correlation-id')).toMatch(/./);
  });

  it('has no body for an answer that has none', async () => {
    const { client, wallet } = await payer();
    const body = { address: wallet.address, chain: 'chiado' as const };
    expect(await client.request('post', '/ibans', { body })).toMatchObject({ status: 202, body: { status: 'Accepted' } });
    expect(await client.request('post', '/ibans', { body })).toMatchObject({ status: 304, body: undefined });
  });

  it('puts what is in a path into one segment, and repeats what is repeated in a query', async () => {
    const client = api.client();
    await thrownBy(client.get('/orders/{orderId}', { path: { orderId: '../tokens?x=1' } }));
    await client.get('/orders', { query: { state: ['placed', 'rejected'], memo: 'a & b' } });
    expect(api.heard.slice(-2).map(({ path }) => path)).toEqual([
      '/orders/..%2Ftokens%3Fx%3D1',
      '/orders?state=placed&state=rejected&memo=a+%26+b',
    ]);
  });

  it('asks for version 2', async () => {
    await api.client().get('/countries');
    expect(api.heard.at(-1)?.headers.accept).toBe('application/vnd.mintrail.api-v2+json');
  });

  it('passes headers on, the idempotency key among them', async () => {
    const { client, order } = await payer();
    await client.post('/orders', { body: await order('2.00'), idempotencyKey: 'key-1', headers: { 'x-correlation-id': 'mine' } });
    expect(api.heard.at(-1)?.headers).toMatchObject({ 'idempotency-key': 'key-1', 'x-correlation-id': 'mine' });
  });

  it('uploads a document', async () => {
    const file = await api.client().upload(new File([pdf], 'proof of residency.pdf'));
    expect(file).toMatchObject({ name: 'proof of residency.pdf', type: 'application/pdf', size: pdf.length });
  });

  it('refuses a path without its parameter before anything is sent', async () => {
    await expect(api.client().get('/orders/{orderId}', { path: { orderId: '' } })).rejects.toThrow(
      new TypeError('/orders/{orderId} needs a value for orderId'),
    );
    expect(api.count('GET', '/orders')).toBe(0);
  });
});

describe('a refusal', () => {
  it('says which field is wrong, and names its request in the logs', async () => {
    const { client, order } = await payer();
    const error = await thrownBy(client.post('/orders', { body: { ...(await order('10.00')), amount: '11.00' } }));
    expect(error).toMatchObject({ status: 400, errors: { message: 'amount differs from the order' }, retryAfter: undefined });
    expect(error.correlationId).toMatch(/./);
    expect(error.message).toContain('/orders answered 400: Validation errors; message amount differs from the order');
  });

  it('is not tried again', async () => {
    await thrownBy(api.client().get('/orders', { query: { address: '0x12' } }));
    expect(api.count('GET', '/orders')).toBe(1);
  });

  it('of wrong credentials comes from the call that needed them, without the secret', async () => {
    const clientSecret = 'hush-hush-wrong';
    const error = await thrownBy(api.client({ clientSecret }).get('/orders'));
    expect(error.status).toBe(400);
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(clientSecret);
    expect(api.count('GET', '/orders')).toBe(0);
  });
});

describe('a lost answer', () => {
  it('is told apart from a refusal', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:9', accessToken: () => 'x', retries: 0 });
    const error: unknown = await client.get('/countries').catch((error: unknown) => error);
    expect(error).toBeInstanceOf(MintrailUnreachableError);
    expect((error as Error).message).toMatch(/^GET http:\/\/127\.0\.0\.1:9\/countries got no answer \(.+\): is the API at this address\?$/);
  });

  it('is what silence becomes', async () => {
    const client = createClient({ baseUrl: api.url, accessToken: () => 'x', timeout: 200, retries: 0 });
    api.interfere(() => true);
    await expect(client.get('/orders')).rejects.toThrow('got no answer (no answer within 200 ms)');
  });

  it('is what an answer that breaks off becomes', async () => {
    const broken = first(1, 'GET', '/orders', (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"orders":[');
      setTimeout(() => response.destroy(), 50);
    });
    api.interfere(broken);
    await expect(api.client({ retries: 0 }).get('/orders')).rejects.toBeInstanceOf(MintrailUnreachableError);
  });

  it('is what the page of something else becomes', async () => {
    api.interfere(first(1, 'GET', '/orders', (response) => void response.end('<html>Welcome to the hotel</html>')));
    await expect(api.client({ retries: 0 }).get('/orders')).rejects.toThrow('answered 200 with something other than JSON');
  });
});

describe('a request that may be repeated', () => {
  const one = { 'retry-after': '1' };

  it('is, when the API asks to wait, after that wait', async () => {
    api.interfere(first(1, 'GET', '/orders', refusal(429, one)));
    const began = performance.now();
    await api.client().get('/orders');
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(api.count('GET', '/orders')).toBe(2);
  });

  it('is, when the connection breaks', async () => {
    api.interfere(first(1, 'GET', '/orders', (response) => void response.destroy()));
    await api.client().get('/orders');
    expect(api.count('GET', '/orders')).toBe(2);
  });

  it('is repeated twice, and then the refusal is thrown', async () => {
    api.interfere(first(9, 'GET', '/orders', refusal(503, { 'retry-after': '0' })));
    expect(await thrownBy(api.client().get('/orders'))).toMatchObject({ status: 503, retryAfter: 0, errors: {} });
    expect(api.count('GET', '/orders')).toBe(3);
  });

  it('is not, when the wait would be long', async () => {
    api.interfere(first(9, 'GET', '/orders', refusal(429, { 'retry-after': '31' })));
    expect(await thrownBy(api.client().get('/orders'))).toMatchObject({ status: 429, retryAfter: 31 });
    expect(api.count('GET', '/orders')).toBe(1);
  });

  it('reads a Retry-After that is a date', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    api.interfere(first(9, 'GET', '/orders', refusal(503, { 'retry-after': date })));
    const { retryAfter } = await thrownBy(api.client().get('/orders'));
    expect(retryAfter).toBeGreaterThan(3_000);
    expect(retryAfter).toBeLessThanOrEqual(3_600);
  });

  it('is a POST with an idempotency key', async () => {
    const { client, order } = await payer();
    const body = await order('3.00');
    api.interfere(first(1, 'POST', '/orders', refusal(503, { 'retry-after': '0' })));
    await client.post('/orders', { body, idempotencyKey: 'key-2' });
    expect(api.heard.filter(({ method, path }) => method === 'POST' && path === '/orders')).toMatchObject([
      { headers: { 'idempotency-key': 'key-2' } },
      { headers: { 'idempotency-key': 'key-2' } },
    ]);
  });

  it('is no POST without one', async () => {
    const { client, order } = await payer();
    const body = await order('3.00');
    api.interfere(first(1, 'POST', '/orders', refusal(503, { 'retry-after': '0' })));
    expect(await thrownBy(client.post('/orders', { body }))).toMatchObject({ status: 503 });
    expect(api.count('POST', '/orders')).toBe(1);
  });

  it('ends while it waits when the caller gives up', async () => {
    api.interfere(first(9, 'GET', '/orders', refusal(503, { 'retry-after': '20' })));
    const reason = new Error('the user left');
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(reason), 300);
    await expect(api.client().get('/orders', { signal: leaving.signal })).rejects.toBe(reason);
    expect(api.count('GET', '/orders')).toBeLessThan(2);
    await expect(api.client().get('/orders', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('pages', () => {
  it('bring every item once, in the order of the list', async () => {
    const { client, order } = await payer();
    const address = (await order('1.00')).address;
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      const placed = await client.post('/orders', { body: await order('1.00', new Date(Date.now() + index)) });
      ids.unshift((placed as Order).id);
    }
    for (const limit of [1, 3, 7, 100]) {
      const told: string[] = [];
      for await (const { id } of client.pages('/orders', { query: { address, limit } })) told.push(id);
      expect(told).toEqual(ids);
    }
  });

  it('of lists whose items have no id go on by what names them', async () => {
    const client = api.client();
    const wallets = [await payer(), await payer(), await payer()].map(({ wallet }) => wallet.address);
    const told: string[] = [];
    for await (const { address } of client.pages('/addresses', { query: { limit: 1 } })) told.push(address);
    expect(told).toEqual(expect.arrayContaining(wallets));
    expect(new Set(told).size).toBe(told.length);
  });

  it('are not read further than they are asked for', async () => {
    const { client, order } = await payer();
    for (let index = 0; index < 3; index += 1) await client.post('/orders', { body: await order('1.00', new Date(Date.now() + index)) });
    api.heard.length = 0;
    for await (const order of client.pages('/orders', { query: { limit: 1 } })) {
      expect(order.state).toBe('placed');
      break;
    }
    expect(api.count('GET', '/orders')).toBe(1);
  });

  it('of a list without items bring none', async () => {
    const { client, wallet } = await payer();
    const items = [];
    for await (const order of client.pages('/orders', { query: { address: wallet.address } })) items.push(order);
    expect(items).toEqual([]);
  });
});

const asked = () => api.count('POST', '/auth/token');

describe('an access token', () => {
  it('is asked for once, however many requests need it at once', async () => {
    const client = api.client();
    await Promise.all(Array.from({ length: 20 }, () => client.get('/orders')));
    expect(asked()).toBe(1);
    expect(api.count('GET', '/orders')).toBe(20);
  });

  it('is renewed a minute before it ends, and not before', async () => {
    const client = api.client();
    await client.get('/orders');
    const clock = vi.spyOn(Date, 'now');
    const now = Date.now();
    try {
      clock.mockReturnValue(now + (3_600 - 62) * 1_000);
      await client.get('/orders');
      expect(asked()).toBe(1);
      clock.mockReturnValue(now + (3_600 - 59) * 1_000);
      await client.get('/orders');
      expect(asked()).toBe(2);
    } finally {
      clock.mockRestore();
    }
  });

  it('that the API no longer knows is replaced, and the request goes again', async () => {
    const client = api.client();
    await client.get('/orders');
    api.interfere(first(1, 'GET', '/orders', refusal(401)));
    expect(await client.get('/orders')).toMatchObject({ orders: expect.any(Array) });
    expect(asked()).toBe(2);
    const [, refused, accepted] = api.heard.filter(({ path }) => path === '/orders').map(({ headers }) => headers.authorization);
    expect(accepted).not.toBe(refused);
  });

  it('is asked for anew once, not for ever, when the API accepts none', async () => {
    api.interfere(first(9, 'GET', '/orders', refusal(401)));
    await expect(api.client().get('/orders')).rejects.toMatchObject({ status: 401 });
    expect(api.count('GET', '/orders')).toBe(2);
  });

  it('that could not be had is asked for again by the next request', async () => {
    api.interfere(first(1, 'POST', '/auth/token', refusal(500)));
    const client = api.client();
    await expect(client.get('/orders')).rejects.toBeInstanceOf(MintrailApiError);
    await client.get('/orders');
  });

  it('may be waited for like any answer', async () => {
    api.interfere(first(1, 'POST', '/auth/token', refusal(503, { 'retry-after': '0' })));
    await api.client().get('/orders');
    expect(asked()).toBe(2);
  });

  it('of a user comes from the application, for each request', async () => {
    const tokens = [api.partner.tokens.access_token as string, 'gone'];
    const client = api.client({
      clientId: undefined,
      clientSecret: undefined,
      accessToken: () => Promise.resolve(tokens.shift() ?? ''),
    } as object);
    expect(await client.get('/orders')).toMatchObject({ orders: expect.any(Array) });
    await expect(client.get('/orders')).rejects.toMatchObject({ status: 401 });
    expect(asked()).toBe(0);
    expect(api.count('GET', '/orders')).toBe(2);
  });
});
