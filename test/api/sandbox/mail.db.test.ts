import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMailCatcher } from '../../../src/platform/caught-mail.ts';
import { createTestApi, type TestApi } from '../support/test-api.ts';

let api: TestApi;
let dataDir: string;
const mail = { id: randomUUID(), recipient: 'jane@example.com', subject: 'Your code', text: 'Your code is 12345678.\n' };
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'mintrail-mail-'));
  api = await createTestApi({ env: { MINTRAIL_DATA_DIR: dataDir } });
  await createMailCatcher({ dataDir }).send(mail);
});
afterAll(async () => {
  await api.close();
  await rm(dataDir, { recursive: true });
});

describe('GET /sandbox/mail', () => {
  it('lists what was caught, and shows the text of one', async () => {
    const { id, recipient, subject } = mail;
    const sentAt = expect.any(String) as string;
    expect((await api.send('GET', '/sandbox/mail')).json).toEqual({ mails: [{ id, recipient, subject, sentAt }], total: 1 });
    expect((await api.send('GET', `/sandbox/mail/${id}`)).json).toEqual({ ...mail, sentAt });
    expect((await api.send('GET', `/sandbox/mail/${randomUUID()}`)).status).toBe(404);
  });

  it.each([
    { Host: '127.0.0.1:3000' },
    { Host: '[::1]:3000' },
    { Host: 'LOCALHOST' },
    { Host: 'localhost:3000', Origin: 'http://localhost:3000' },
  ])('answers a caller of this machine: %j', async (headers) => {
    expect((await api.send('GET', `/sandbox/mail/${mail.id}`, { headers })).status).toBe(200);
  });

  it.each([
    { Host: 'evil.example' },
    { Host: 'localhost.evil.example:3000' },
    { Host: 'localhost@evil.example' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Host: 'localhost:3000', Origin: 'http://localhost:4000' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'X-Forwarded-For': '192.0.2.1' },
    { 'X-Forwarded-Host': 'evil.example' },
    { 'X-Real-IP': '192.0.2.1' },
    { Forwarded: 'for=192.0.2.1' },
    { Via: '1.1 proxy' },
  ])('answers no page of another origin, by no other name, and nobody behind a proxy: %j', async (headers: Record<string, string>) => {
    expect((await api.send('GET', '/sandbox/mail', { headers })).status).toBe(403);
    expect((await api.send('GET', '/docs/credentials', { headers })).status).toBe(403);
    expect((await api.send('GET', `/sandbox/mail/${mail.id}`, { headers })).status).toBe(403);
  });

  it('answers no other machine', async () => {
    const incoming = { socket: { remoteAddress: '192.0.2.1' }, rawHeaders: ['Host', 'localhost:3000'], once() {} };
    expect((await api.app.request('/sandbox/mail', {}, { incoming })).status).toBe(403);
  });
});
