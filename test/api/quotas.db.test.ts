import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApi, type Partner, type TestApi } from './support/test-api.ts';
import { png } from '../support/documents.ts';

let api: TestApi;
let partner: Partner;
beforeAll(async () => {
  const env = { QUOTAS: 'profiles:1,addresses:1,pendingSignatures:1,files:1' };
  api = await createTestApi({ env });
  partner = await api.partner('whitelabel');
});
afterAll(() => api.close());

const refused = (errors: Record<string, string>) => ({
  status: 400,
  json: { code: 400, status: 'Bad Request', message: 'Validation errors', reason: 'quota_exceeded', errors },
});

async function upload() {
  const form = new FormData();
  form.append('file', new File([png], 'invoice.png'));
  const response = await api.app.request('/files', { method: 'POST', headers: partner.headers, body: form });
  return { status: response.status, json: await response.json() };
}

it('one profile, file or address too many is answered with 400, which names the field and the remedy', async () => {
  expect((await partner.post('/profiles', { kind: 'personal' })).status).toBe(201);
  expect(await partner.post('/profiles', { kind: 'personal' })).toMatchObject(
    refused({ profiles: 'are 1 already, which is the most of an application: ask the operator for more' }),
  );
  const owner = await api.partner();
  await owner.link();
  await expect(owner.link()).rejects.toThrow('400');
  expect((await upload()).status).toBe(200);
  expect(await upload()).toMatchObject(
    refused({ file: 'the application has uploaded 1 files already, which is the most: ask the operator for more' }),
  );
});

it('one pending signature too many is answered with 429: waiting helps', async () => {
  const owner = await api.partner();
  const request = () => {
    const address = `0x${randomBytes(20).toString('hex')}`;
    return owner.post('/addresses', { address, chain: 'chiado', signature: '0x' });
  };
  expect((await request()).status).toBe(202);
  const { status, headers, json } = await request();
  expect([status, headers.get('Retry-After'), json.reason]).toEqual([429, '10', 'rate_limited']);
  expect(json.message).toContain('1 signatures of the profile are pending');
});
