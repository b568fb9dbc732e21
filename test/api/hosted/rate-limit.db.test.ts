import { expect, it } from 'vitest';
import { createOAuthApi } from '../oauth/client.ts';
import { createBrowser } from './browser.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(() => createOAuthApi({ RATE_LIMITS: 'address:30' }));

it('of an address keeps strangers away by a page, and neither who is signed in nor who has signed in there before', async () => {
  const owner = createBrowser(api);
  await owner.signUp(await api.client());
  const ask = () => fetch(`${api.url}/account/sign-in`);
  await Promise.all(Array.from({ length: 30 }, ask));
  const refused = await ask();
  expect([refused.status, refused.headers.get('Content-Type')]).toEqual([429, 'text/html; charset=UTF-8']);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect((await owner.come('/overview')).status).toBe(200);
  owner.cookies.delete('session');
  expect((await owner.come('/sign-in')).status).toBe(200);
});
