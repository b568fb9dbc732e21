import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { MintrailApiError } from '../../client/index.ts';
import { createServedApi, first, refusal, type ServedApi } from './served-api.ts';

let api: ServedApi;

beforeAll(async () => {
  api = await createServedApi();
});
beforeEach(() => {
  api.interfere(() => false);
  api.heard.length = 0;
});
afterAll(() => api.close());

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
    expect(await client.get('/orders')).toMatchObject({ total: 0 });
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
    expect(await client.get('/orders')).toMatchObject({ total: 0 });
    await expect(client.get('/orders')).rejects.toMatchObject({ status: 401 });
    expect(asked()).toBe(0);
    expect(api.count('GET', '/orders')).toBe(2);
  });
});
