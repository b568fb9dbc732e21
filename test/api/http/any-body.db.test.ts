import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Partner, type TestApi, createTestApi, createWallet, linkBody, linkMessage } from '../support/test-api.ts';

let api: TestApi;
let caller: Partner;
beforeAll(async () => {
  api = await createTestApi();
  caller = await api.partner();
});
afterAll(() => api.close());

/** Strings with what databases and parsers stumble over. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\0', '\u0000abc', '\ud800', '0x', '9'.repeat(400), '1e400', '__proto__', '../..', "' or 1=1 --", '%00'),
);
const anything = fc.oneof(nasty, fc.jsonValue(), fc.double(), fc.constant(null));

const iban = 'IS140159260076545510730339';
const write = fc.constantFrom(
  { method: 'POST', path: '/addresses', fields: ['profile', 'address', 'chain', 'message', 'signature'] },
  { method: 'POST', path: '/ibans', fields: ['address', 'chain', 'emailNotifications'] },
  { method: 'PATCH', path: `/ibans/${iban}`, fields: ['address', 'chain', 'emailNotifications'] },
  {
    method: 'POST',
    path: '/orders',
    fields: [
      'id',
      'kind',
      'address',
      'chain',
      'amount',
      'currency',
      'counterpart',
      'message',
      'signature',
      'memo',
      'referenceNumber',
      'supportingDocumentId',
    ],
  },
  { method: 'POST', path: '/sandbox/payouts/00000000-0000-4000-8000-000000000000/reject', fields: ['reason'] },
  { method: 'POST', path: '/files', fields: ['file'] },
  { method: 'POST', path: '/sandbox/credits', fields: ['iban', 'amount', 'currency', 'payer', 'remittance', 'reference'] },
  { method: 'POST', path: '/auth/token', fields: ['grant_type', 'client_id'] },
);

async function statusOf(method: string, path: string, body: string, type = 'application/json'): Promise<number> {
  return (await api.send(method, path, { headers: { ...caller.headers, 'Content-Type': type }, body })).status;
}

describe('whatever is sent', () => {
  it('as a JSON body is never answered by 500', async () => {
    await fc.assert(
      fc.asyncProperty(write, fc.jsonValue(), async ({ method, path }, body) => {
        expect(await statusOf(method, path, JSON.stringify(body))).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });

  it('in the known fields of a body is never answered by 500', async () => {
    const valid = {
      ...(await linkBody(createWallet())),
      iban,
      amount: '1',
      currency: 'eur',
      payer: { name: 'Max', iban: 'DE89370400440532013000' },
      kind: 'redeem',
      counterpart: { identifier: { standard: 'iban', iban }, details: { name: 'Max', country: 'DE' } },
      message: linkMessage,
    };
    await fc.assert(
      fc.asyncProperty(
        write,
        fc.array(fc.tuple(fc.nat(11), anything), { minLength: 1, maxLength: 3 }),
        async ({ method, path, fields }, changes) => {
          const body: Record<string, unknown> = { ...valid };
          for (const [index, value] of changes) body[fields[index % fields.length] ?? ''] = value;
          expect(await statusOf(method, path, JSON.stringify(body))).toBeLessThan(500);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('as the fields of a form is never answered by 500', async () => {
    const fields = ['grant_type', 'client_id', 'client_secret', 'refresh_token', 'code'];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('client_credentials', 'refresh_token', 'x'), fc.nat(4), nasty, async (grant, index, value) => {
        const form = {
          grant_type: grant,
          client_id: caller.clientId,
          client_secret: 's',
          refresh_token: 'r',
          [fields[index] ?? '']: value,
        };
        const body = new URLSearchParams(form).toString();
        expect(await statusOf('POST', '/auth/token', body, 'application/x-www-form-urlencoded')).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });

  it('in a path or a query is never answered by 500', async () => {
    const read = fc.constantFrom(
      (value: string) => `/addresses/${value}`,
      (value: string) => `/ibans/${value}`,
      (value: string) => `/orders/${value}`,
      (value: string) => `/balances/${value}/${value}`,
      (value: string) => `/addresses?profile=${value}&chain=${value}`,
      (value: string) => `/orders?address=${value}`,
      (value: string) => `/orders?memo=${value}`,
      (value: string) => `/signatures?address=${value}&chain=${value}&kind=${value}&profile=${value}`,
      (value: string) => `/orders?state=${value}&limit=${value}&after=${value}&txHash=${value}`,
    );
    const raw = fc.constantFrom('%00', '%', '%E0%A4%A', '%ff', '%2F', 'a&a=b', '1&memo=2');
    const encoded = nasty.filter((value) => value.isWellFormed()).map(encodeURIComponent);
    await fc.assert(
      fc.asyncProperty(read, fc.oneof(encoded, raw), async (path, value) => {
        expect((await caller.get(path(value))).status).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
  });
});
