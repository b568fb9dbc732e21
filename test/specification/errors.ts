import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { redirectUri } from '../api/oauth/client.ts';
import { createTestApi, linkBody, createWallet } from '../api/support/test-api.ts';
import { person, personalForm, uploadedFile } from '../api/customers/profiles-data.ts';
import { authorize, own, query, refreshToken, target } from './requests.ts';
import type { Fact } from './documented-rows.ts';
import { secret, send } from './world.ts';

/** The errors (docs/api.md, Errors). */
export const errors: Fact[] = [
  {
    row: '302',
    says: 'failures of /auth are query parameters on the redirect URI',
    async holds(world) {
      const { headers } = await send(world, 'GET', `/auth${query(authorize(world, { code_challenge: 'short' }))}`, {});
      const location = new URL(headers.get('Location') ?? '');
      expect(`${location.origin}${location.pathname}`).toBe(redirectUri);
      expect(location.searchParams.get('error')).toBe('invalid_request');
      expect(location.searchParams.get('error_description')).toMatch(/^code_challenge must be/);
    },
  },
  {
    row: '400',
    says: 'validation errors with errors.<field>',
    async holds(world) {
      const { text } = await send(world, 'POST', '/addresses', {
        as: 'private',
        json: { ...(await linkBody(createWallet())), address: undefined },
      });
      expect(JSON.parse(text)).toMatchObject({ code: 400, status: 'Bad Request', errors: { address: expect.any(String) } });
    },
  },
  {
    row: '400',
    says: 'a token request by a client not authorized for the method',
    async holds({ api, authorizationCode }) {
      const { json } = await api.form({ grant_type: 'client_credentials', client_id: authorizationCode, client_secret: secret });
      expect(json.message).toMatch(/^(The client is not authorized|Client authentication failed)/);
    },
  },
  {
    row: '400',
    says: 'refresh with a different client ID than the original token',
    async holds(world) {
      const { clientId } = world.whitelabel;
      const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token: await refreshToken(world) };
      expect((await world.api.form(refresh)).json.message).toBe('Client id must be the same from previous token.');
    },
  },
  {
    row: '401',
    says: 'missing or invalid bearer token',
    async holds(world) {
      const { status, text } = await send(world, 'GET', '/orders', {});
      expect([status, JSON.parse(text)]).toEqual([
        401,
        { code: 401, status: 'Unauthorized', message: 'Not authenticated', reason: 'not_authenticated' },
      ]);
    },
  },
  {
    row: '403',
    says: 'a distinct partner-only variant exists',
    async holds(world) {
      const partnerOnly = await send(world, 'POST', '/profiles', { as: 'private', json: { kind: 'personal' } });
      const foreign = await send(world, 'GET', `/profiles/${randomUUID()}`, { as: 'private' });
      expect([partnerOnly.status, foreign.status]).toEqual([403, 403]);
      expect(JSON.parse(partnerOnly.text).message).toMatch(/whitelabel partner applications only/);
      expect(JSON.parse(foreign.text).message).toMatch(/does not belong to the caller/);
    },
  },
  {
    row: '404',
    says: 'webhook subscription does not exist',
    async holds(world) {
      const { text } = await send(world, 'PATCH', `/webhooks/${randomUUID()}`, { as: 'private', json: { state: 'inactive' } });
      expect(JSON.parse(text)).toMatchObject({ code: 404, status: 'Not Found' });
    },
  },
  {
    row: '409',
    says: 'profile with the given ID already exists (message `Profile already exists`)',
    async holds(world) {
      const json = { kind: 'personal', id: world.whitelabel.own.profile };
      const { text } = await send(world, 'POST', '/profiles', { as: 'whitelabel', json });
      expect(JSON.parse(text)).toEqual({ code: 409, status: 'Conflict', message: 'Profile already exists', reason: 'profile_exists' });
    },
  },
  {
    row: '409',
    says: 'details, form or verifications submitted after approval',
    async holds(world) {
      const fileId = await uploadedFile(world.api, world.whitelabel);
      const sections = { details: person, form: personalForm, verifications: [{ kind: 'sourceOfFunds', fileId }] };
      for (const [name, personal] of Object.entries(sections)) {
        const path = `/profiles/${world.whitelabel.own.profile}/${name}`;
        const { text } = await send(world, 'PATCH', path, { as: 'whitelabel', json: { personal } });
        expect(JSON.parse(text)).toMatchObject({
          code: 409,
          message: 'The profile details have already been approved and need not be submitted again',
        });
      }
    },
  },
  {
    row: '304',
    says: 'listed for POST /ibans (no change)',
    async holds(world) {
      expect(await send(world, 'POST', '/ibans', { as: 'private', json: target(world) })).toMatchObject({ status: 304, text: '' });
    },
  },
  {
    row: '429',
    says: 'rate limit hit: Retry-After tells when there is room',
    async holds() {
      const api = await createTestApi({ env: { RATE_LIMIT_APPLICATION: '1' } });
      const caller = await api.partner();
      await caller.get('/orders');
      const { status, headers, json } = await caller.get('/orders');
      expect([status, json.code, json.status]).toEqual([429, 429, 'Too Many Requests']);
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
      await api.close();
    },
  },
  {
    row: '500',
    says: 'listed for webhook and signature endpoints',
    async holds() {
      const api = await createTestApi();
      const caller = await api.partner();
      await api.pool.query('drop table signature_requests cascade; drop table webhook_subscriptions cascade');
      const url = 'http://127.0.0.1:9/';
      for (const answer of [
        await caller.get('/signatures'),
        await caller.get('/webhooks'),
        await caller.patch(`/webhooks/${randomUUID()}`, { state: 'inactive' }),
        await caller.post('/webhooks', { url, secret }),
      ])
        expect(answer.json).toEqual({ code: 500, status: 'Internal Server Error', message: 'Internal error', reason: 'internal_error' });
      await api.close();
    },
  },
  {
    row: 'Error body',
    says: 'code equals the HTTP status, status is its reason phrase, message is a string, errors maps fields to messages',
    async holds(world) {
      const { status, text } = await send(world, 'POST', '/orders', { as: 'private', json: { id: own(world).order } });
      const { code, status: phrase, message, errors: fields } = JSON.parse(text);
      expect([code, phrase, message]).toEqual([status, 'Bad Request', 'Validation errors']);
      for (const field of ['address', 'currency', 'chain', 'kind', 'amount', 'counterpart', 'message', 'signature'])
        expect(fields[field]).toMatch(/./);
    },
  },
];
