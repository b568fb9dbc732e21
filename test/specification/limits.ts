import { expect } from 'vitest';
import { verifyWebhook } from '../../client/index.ts';
import { signatureHeaders } from '../../src/webhooks/signature.ts';
import { pauseAfter, schedule } from '../../src/workers/webhooks/schedule.ts';
import { createTestApi, eurToken } from '../api/support/test-api.ts';
import { swapTokens } from '../api/swap/swap-maker.ts';
import { newOrder } from './requests.ts';
import type { Fact } from './documented-rows.ts';
import { pdf } from '../support/documents.ts';
import { send, type World } from './world.ts';

async function order(world: World, given: Record<string, unknown>) {
  const { status, text } = await send(world, 'POST', '/orders', { as: 'private', json: await newOrder(world, given) });
  return { status, fields: Object.keys((JSON.parse(text) as { errors?: object }).errors ?? {}) };
}

async function upload({ api, private: { headers } }: World, name: string) {
  const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/pdf\r\n\r\n`;
  const body = `${head}${pdf.toString()}\r\n--x--\r\n`;
  return api.send('POST', '/files', { headers: { ...headers, 'Content-Type': 'multipart/form-data; boundary=x' }, body });
}

const subscribed = async (world: World, bytes: number) => {
  const secret = `whsec_${Buffer.alloc(bytes, 9).toString('base64')}`;
  const { status, text } = await send(world, 'POST', '/webhooks', { as: 'whitelabel', json: { url: world.receiver.url(), secret } });
  return { status, error: (JSON.parse(text) as { errors?: { secret?: string } }).errors?.secret };
};

const accepted = { status: 200, fields: [] };
const refused = (field: string) => ({ status: 400, fields: [field] });

/** The limits (docs/api.md, Limits). */
export const limits: Fact[] = [
  {
    row: 'Memo length',
    says: '5 to 140 characters',
    async holds(world) {
      for (const length of [5, 140]) expect(await order(world, { memo: 'é'.repeat(length) })).toEqual(accepted);
      for (const length of [0, 4, 141]) expect(await order(world, { memo: 'é'.repeat(length) })).toEqual(refused('memo'));
    },
  },
  {
    row: 'Reference number length',
    says: '0 to 35 characters',
    async holds(world) {
      for (const length of [0, 35]) expect(await order(world, { referenceNumber: 'R'.repeat(length) })).toEqual(accepted);
      expect(await order(world, { referenceNumber: 'R'.repeat(36) })).toEqual(refused('referenceNumber'));
    },
  },
  {
    row: 'Amount',
    says: 'non-negative; zero moves nothing, and is refused',
    async holds(world) {
      expect(await order(world, { amount: '0.01' })).toEqual(accepted);
      for (const amount of ['0', '0.00']) expect(await order(world, { amount })).toEqual(refused('amount'));
    },
  },
  {
    row: 'Amount precision',
    says: 'up to two decimal places',
    async holds(world) {
      for (const amount of ['1', '1.2', '1.23']) expect(await order(world, { amount })).toEqual(accepted);
      for (const amount of ['1.234', '1.', '-1', '1e2', '']) expect(await order(world, { amount })).toEqual(refused('amount'));
    },
  },
  {
    row: 'File name length',
    says: 'up to 100 characters',
    async holds(world) {
      expect((await upload(world, `${'n'.repeat(96)}.pdf`)).status).toBe(200);
      expect((await upload(world, `${'n'.repeat(97)}.pdf`)).status).toBe(400);
    },
  },
  {
    row: 'Webhook secret',
    says: 'base64-encoded random value of 24 to 64 bytes, prefixed whsec_',
    async holds(world) {
      for (const bytes of [24, 64]) expect(await subscribed(world, bytes)).toEqual({ status: 201, error: undefined });
      for (const bytes of [23, 65])
        expect(await subscribed(world, bytes)).toEqual({ status: 400, error: 'Invalid secret: unable to decode' });
    },
  },
  {
    row: 'Webhook retries',
    says: 'up to 10 attempts over 12 hours, exponential backoff',
    async holds() {
      const longest = Array.from({ length: schedule.attempts - 1 }, (_, index) => pauseAfter(index + 1, 1));
      for (const [index, pause] of longest.entries()) expect(pause).toBeCloseTo((longest[0] ?? 0) * schedule.factor ** index);
      expect(longest.length + 1).toBe(10);
      expect(longest.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(12 * 60 * 60);
    },
  },
  {
    row: 'Webhook timestamp tolerance',
    says: 'receiver-side verification: 5 minutes (recommended)',
    async holds() {
      const body = JSON.stringify({ type: 'subscription.created', timestamp: new Date().toISOString() });
      const verified = (secondsAgo: number) => {
        const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
        return verifyWebhook(
          secret,
          signatureHeaders({ id: 'event', body, sentAt: new Date(Date.now() - secondsAgo * 1_000) }, [secret]),
          body,
        );
      };
      expect(await verified(290)).toMatchObject({ type: 'subscription.created' });
      await expect(verified(310)).rejects.toThrow();
    },
  },
  {
    row: 'Rate limiting',
    says: 'on HTTP 429 clients slow down and read the Retry-After header',
    async holds() {
      const api = await createTestApi({ env: { RATE_LIMIT_APPLICATION: '1' } });
      const caller = await api.partner();
      const answers = [await caller.get('/tokens'), await caller.get('/orders'), await caller.get('/orders')];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(Number(answers[2]?.headers.get('Retry-After'))).toBeGreaterThan(0);
      await api.close();
    },
  },
  {
    row: 'Swap',
    says: 'sandbox on one chain only',
    async holds(world) {
      const elsewhere = { takerToken: eurToken, makerToken: swapTokens.usd, takerAmount: '1' };
      expect((await send(world, 'POST', '/swap', { as: 'private', json: elsewhere })).status).toBe(400);
      const production = await createTestApi({ env: { MINTRAIL_ENVIRONMENT: 'production' } });
      expect((await (await production.partner()).post('/swap', elsewhere)).status).toBe(404);
      await production.close();
    },
  },
];
