import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authentication, versioning } from './authentication.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { rfc6749 } from './oauth/rfc6749.ts';
import { createOAuthClient, type Sentence } from './oauth/oauth-client.ts';
import { otherOAuthRfcs } from './oauth/other-rfcs.ts';
import type { Answer, Endpoint, Fact } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import { endpoints as tables } from './endpoints.ts';
import { types } from './types.ts';
import { type Asked, type CallerName, createWorld, send, type World } from './world.ts';

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world?.close());

const forbidden: Record<NonNullable<Endpoint['for']>, CallerName[]> = {
  Whitelabel: ['private', 'user'],
  'Whitelabel and Private': ['user'],
};

for (const [title, endpoints] of Object.entries(tables))
  describe(title, () => {
    describe.each(endpoints)('$row', ({ row, headers, for: who, lists, answers, never = {} }) => {
      const [method = '', template = ''] = row.split(' ');
      const ask = async (asked: Asked) => send(world, method, asked.path ?? template, asked);
      const first = answers[0] as Answer;

      it(`has a line here for ${lists.join(', ')}`, () => {
        const shown = [...answers.map(({ status }) => status), ...Object.keys(never).map(Number)];
        const alike = [...(headers.includes('B') ? [401] : []), ...(who ? [403] : [])];
        expect([...shown, ...alike]).toEqual(expect.arrayContaining(lists));
      });

      it.each(answers)('answers $status: $when', async ({ status, ask: asked, shape, headers: expected = {} }) => {
        const answer = await ask(await asked(world));
        expect(answer.status, answer.text).toBe(status);
        if (shape) expect(() => shape.parse(JSON.parse(answer.text)), answer.text).not.toThrow();
        for (const [name, value] of Object.entries(expected)) expect(answer.headers.get(name)).toMatch(value);
      });

      if (headers.includes('B'))
        it.each(['', 'Bearer wrong', 'Basic eDp5'])('answers 401 to Authorization "%s"', async (given) => {
          const { as: _, ...asked } = await first.ask(world);
          const answer = await ask({ ...asked, headers: given === '' ? {} : { Authorization: given } });
          expect(JSON.parse(answer.text)).toMatchObject({ code: 401, status: 'Unauthorized', message: 'Not authenticated' });
        });

      if (headers.includes('A'))
        it('is selected by the version’s media type, and by no other version', async () => {
          const asked = await first.ask(world);
          const accepting = (type: string) => ask({ ...asked, headers: { ...asked.headers, Accept: type } });
          expect((await accepting('application/vnd.mintrail.api-v1+json')).status).toBe(406);
          expect((await accepting('application/vnd.mintrail.api-v2+json')).status).toBe(first.status);
        });

      if (who)
        it.each(forbidden[who])('answers 403 to applications of another type: %s', async (caller) => {
          const answer = await ask({ ...(await first.ask(world)), as: caller });
          expect(() => shapes.refusal(403).parse(JSON.parse(answer.text)), answer.text).not.toThrow();
        });
    });
  });

const facts: Record<string, Fact[]> = {
  'Shared types': types,
  Authentication: authentication,
  Events: events,
  Errors: errors,
  Limits: limits,
  Versioning: versioning,
};

for (const [title, rows] of Object.entries(facts))
  describe(title, () => {
    it.each(rows)('$row: $says', ({ holds }) => holds(world));
  });

const rfcs: Record<string, Sentence[]> = { 'RFC 6749': rfc6749, ...otherOAuthRfcs };

for (const [title, rows] of Object.entries(rfcs))
  describe(title, () => {
    it.each(rows)('$row: $says', async ({ ask, is }) => {
      expect(await ask(createOAuthClient(world))).toMatchObject(is);
    });
  });
