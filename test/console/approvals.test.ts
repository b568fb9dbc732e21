import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestConsole, type TestConsole } from './support/test-console.ts';

let console: TestConsole;

beforeAll(async () => {
  console = await createTestConsole({ env: { FOUR_EYES: 'yes' } });
});
afterAll(() => console.close());

it('a viewer asks for nothing, and nobody without a session reads anything', async () => {
  const viewer = await console.signedIn('viewer');
  expect((await viewer.get('/api/me')).json).toMatchObject({ name: viewer.name, role: 'viewer', actions: [] });
  expect(await viewer.act('orders.give-back', { order: crypto.randomUUID() })).toMatchObject({
    status: 403,
    json: { code: 'role_not_sufficient' },
  });
  expect(await console.send('GET', '/api/me')).toMatchObject({ status: 401, json: { code: 'not_signed_in' } });
});

it('what makes no sense is not kept for a second person', async () => {
  const treasurer = await console.signedIn('treasurer');
  expect(await treasurer.act('orders.give-back', { order: crypto.randomUUID() })).toMatchObject({
    status: 409,
    json: { code: 'order_not_stuck' },
  });
  expect((await treasurer.get('/api/approvals')).json).toEqual({ approvals: [] });
});
