import { expect } from 'vitest';
import type { Fact } from './documented-rows.ts';
import { send } from './world.ts';

/** The rules of authentication, as far as neither the endpoints' rows nor the walk of the client show them (docs/api.md, Authentication). */
export const authentication: Fact[] = [
  {
    row: '1',
    says: 'endpoints listed without B need no token',
    async holds(world) {
      expect((await send(world, 'GET', '/', {})).status).toBe(200);
      expect((await send(world, 'GET', '/countries', {})).status).toBe(200);
      expect((await send(world, 'GET', '/auth', {})).status).toBe(400);
      expect((await send(world, 'POST', '/auth/token', { form: {} })).status).toBe(400);
    },
  },
];

/** The rules of versions (docs/api.md, Versioning). */
export const versioning: Fact[] = [
  {
    row: '1',
    says: 'current API version: 2.0.0',
    async holds(world) {
      expect(JSON.parse((await send(world, 'GET', '/openapi.json', {})).text).info.version).toBe('2.0.0');
    },
  },
  {
    row: '2',
    says: 'any vendor’s media type of version 2 selects it, and so does no header',
    async holds(world) {
      for (const Accept of ['application/vnd.mintrail.api-v2+json', 'application/vnd.other.api-v2+json', 'application/json', '*/*'])
        expect((await send(world, 'GET', '/orders', { as: 'private', headers: { Accept } })).status).toBe(200);
      expect((await send(world, 'GET', '/orders', { as: 'private' })).status).toBe(200);
      expect((await send(world, 'GET', '/orders', { as: 'private', headers: { Accept: 'application/vnd.x.api-v3+json' } })).status).toBe(
        406,
      );
    },
  },
  {
    row: '3',
    says: 'responses are JSON',
    async holds(world) {
      for (const path of ['/', '/countries', '/orders', '/nowhere'])
        expect((await send(world, 'GET', path, { as: 'private' })).headers.get('Content-Type')).toMatch(/^application\/json/);
    },
  },
];
