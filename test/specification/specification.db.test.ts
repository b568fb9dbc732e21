import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTestApi } from '../api/support/test-api.ts';
import { rfc6749 } from './oauth/rfc6749.ts';
import { createOAuthClient, type Sentence } from './oauth/oauth-client.ts';
import { otherOAuthRfcs } from './oauth/other-rfcs.ts';
import { endpoints as tables } from './endpoints.ts';
import { createWorld, secret, send } from './world.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const world = forWholeFile(createWorld);

for (const [title, endpoints] of Object.entries(tables))
  describe(title, () => {
    describe.each(endpoints)('$row', ({ row, lists, answers, never = {} }) => {
      const [method = '', template = ''] = row.split(' ');

      it(`has a line here for ${lists.join(', ')}`, () => {
        const shown = [...answers.map(({ status }) => status), ...Object.keys(never).map(Number)];
        expect(shown).toEqual(expect.arrayContaining(lists));
      });

      it.each(answers)('answers $status: $when', async ({ status, ask, shape, headers: expected = {} }) => {
        const asked = await ask(world);
        const answer = await send(world, method, asked.path ?? template, asked);
        expect(answer.status, answer.text).toBe(status);
        if (shape) expect(() => shape.parse(JSON.parse(answer.text)), answer.text).not.toThrow();
        for (const [name, value] of Object.entries(expected)) expect(answer.headers.get(name)).toMatch(value);
      });
    });
  });

it('endpoints of webhooks and signatures answer 500 when something fails that nobody foresaw', async () => {
  const api = await createTestApi();
  const caller = await api.partner();
  await api.pool.query('drop table signature_requests cascade; drop table webhook_subscriptions cascade');
  for (const answer of [
    await caller.get('/signatures'),
    await caller.get('/webhooks'),
    await caller.patch(`/webhooks/${randomUUID()}`, { state: 'inactive' }),
    await caller.post('/webhooks', { url: 'http://127.0.0.1:9/', secret }),
  ])
    expect(answer.json).toEqual({ code: 500, status: 'Internal Server Error', message: 'Internal error', reason: 'internal_error' });
  await api.close();
});

const rfcs: Record<string, Sentence[]> = { 'RFC 6749': rfc6749, ...otherOAuthRfcs };

for (const [title, rows] of Object.entries(rfcs))
  describe(title, () => {
    it.each(rows)('$row: $says', async ({ ask, is }) => {
      expect(await ask(createOAuthClient(world))).toMatchObject(is);
    });
  });
