import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { createApplication } from '../../src/ledger/access/applications.ts';
import { own, refreshToken } from './requests.ts';
import type { Fact } from './documented-rows.ts';
import { send } from './world.ts';

/** The rules of authentication, as far as the endpoints' rows do not show them (docs/api.md, Authentication). */
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
  {
    row: '4',
    says: 'refresh returns a new access token; the whitelabel guide also sends client_secret',
    async holds(world) {
      const { clientId, secret } = world.private;
      const refresh_token = await refreshToken(world);
      const refreshed = await world.api.form({ grant_type: 'refresh_token', client_id: clientId, client_secret: secret, refresh_token });
      const headers = { Authorization: `Bearer ${refreshed.json.access_token}` };
      expect((await send(world, 'GET', '/auth/context', { headers })).status).toBe(200);
    },
  },
  {
    row: '5',
    says: 'client credentials are for Whitelabel and Private applications',
    async holds(world) {
      for (const { clientId, secret } of [world.whitelabel, world.private]) {
        const granted = await world.api.form({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
        expect(granted.status).toBe(200);
      }
    },
  },
  {
    row: '7',
    says: 'where profile is omitted the default profile applies; private applications act on their own profile',
    async holds(world) {
      const named = await send(world, 'GET', `/orders?profile=${own(world).profile}`, { as: 'private' });
      expect((await send(world, 'GET', '/orders', { as: 'private' })).text).toBe(named.text);
    },
  },
  {
    row: '8',
    says: 'credentials are issued with the application; those of a whitelabel application that is not approved are refused',
    async holds({ api, whitelabel }) {
      const { id, secret } = await createApplication(api.ledger, {
        kind: 'whitelabel',
        name: `Partner ${randomUUID()}`,
        owner: whitelabel.user,
        approved: false,
      });
      const { status, json } = await api.form({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
      expect([status, json.error]).toEqual([400, 'unauthorized_client']);
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
