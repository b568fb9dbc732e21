import { expect } from 'vitest';
import { newOrder } from './asking.ts';
import type { Fact } from './row.ts';
import { send, type World } from './world.ts';

async function order(world: World, given: Record<string, unknown>) {
  const { status, text } = await send(world, 'POST', '/orders', { as: 'private', json: await newOrder(world, given) });
  return { status, fields: Object.keys((JSON.parse(text) as { errors?: object }).errors ?? {}) };
}

async function upload({ api, private: { headers } }: World, name: string) {
  const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/pdf\r\n\r\n`;
  const body = `${head}%PDF-1.7\n%%EOF\n\r\n--x--\r\n`;
  return api.send('POST', '/files', { headers: { ...headers, 'Content-Type': 'multipart/form-data; boundary=x' }, body });
}

const subscribed = async (world: World, bytes: number) => {
  const secret = `whsec_${Buffer.alloc(bytes, 9).toString('base64')}`;
  const { status, text } = await send(world, 'POST', '/webhooks', { as: 'whitelabel', json: { url: world.receiver.url, secret } });
  return { status, error: (JSON.parse(text) as { errors?: { secret?: string } }).errors?.secret };
};

const accepted = { status: 200, fields: [] };
const refused = (field: string) => ({ status: 400, fields: [field] });

/** Specification, Limits. */
export const limits: Fact[] = [
  {
    row: 'Supporting document',
    says: 'required when amount >= 15,000 EUR',
    async holds(world) {
      const { id } = JSON.parse((await upload(world, 'invoice.pdf')).text);
      expect(await order(world, { amount: '14999.99' })).toEqual(accepted);
      expect(await order(world, { amount: '15000' })).toEqual(refused('supportingDocumentId'));
      expect(await order(world, { amount: '15000', supportingDocumentId: id })).toEqual(accepted);
    },
  },
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
];
