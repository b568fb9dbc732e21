import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { beginFile, completeFile } from '../../../src/ledger/customers/files.ts';
import type { LedgerTables } from '../../../src/schema/tables.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { createTestApi, type Partner } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);

const address = lowerAddress('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed');
const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const hash = `0x${'ab'.repeat(32)}`;

async function place(profile: string, fields: Partial<Insertable<LedgerTables['orders']>> = {}): Promise<string> {
  const id = randomUUID();
  const counterpart = { identifier: { standard: 'iban', iban: 'DE89370400440532013000' }, details: { name: 'Max' } };
  await api.ledger
    .insertInto('orders')
    .values({
      id,
      kind: 'issue',
      profile,
      address,
      chain: 'chiado',
      currency: 'eur',
      amount: minorUnits(1050n),
      counterpart: JSON.stringify(counterpart),
      memo: 'Powered by Mintrail',
      referenceNumber: null,
      message: null,
      signature: null,
      rejectedReason: null,
      supportingDocument: null,
      correlationId: null,
      processedAt: null,
      ...fields,
    })
    .execute();
  return id;
}

describe('GET /orders', () => {
  it('answers only placedAt in the meta of an order that was just placed, as does GET /orders/{orderId}', async () => {
    const caller = await api.partner();
    const id = await place(caller.profile);
    const order = {
      id,
      kind: 'issue',
      profile: caller.profile,
      address: checksummed,
      chain: 'chiado',
      currency: 'eur',
      amount: '10.50',
      counterpart: { identifier: { standard: 'iban', iban: 'DE89370400440532013000' }, details: { name: 'Max' } },
      memo: 'Powered by Mintrail',
      state: 'placed',
      meta: { placedAt: expect.stringMatching(/Z$/) },
    };
    expect((await caller.get('/orders')).json).toEqual({ orders: [order], total: 1 });
    expect((await caller.get(`/orders/${id.toUpperCase()}`)).json).toEqual(order);
  });

  it('answers all that is known of others', async () => {
    const caller = await api.partner();
    const document = randomUUID();
    const uploader = {
      application: caller.clientId,
      kind: 'private' as const,
      user: caller.user,
      defaultProfile: caller.profile,
      permissions: [],
    };
    await beginFile(api.ledger, uploader, { id: document, name: 'invoice.pdf', type: 'application/pdf', size: 1, hash: 'ab' });
    await completeFile(api.ledger, document);
    const counterpart = { identifier: { standard: 'chain' as const, address, chain: 'basesepolia' }, details: {} };
    await place(caller.profile, {
      state: 'processed',
      processedAt: '2026-01-02T03:04:05Z',
      txHashes: [hash],
      referenceNumber: 'RF18539007547034',
      supportingDocument: document,
      counterpart: JSON.stringify(counterpart),
    });
    const rejected = await place(caller.profile, {
      state: 'rejected',
      rejectedReason: 'insufficient balance',
      placedAt: '2020-01-01T00:00:00Z',
    });
    const { orders } = (await caller.get('/orders')).json;
    expect(orders[0]).toMatchObject({
      referenceNumber: 'RF18539007547034',
      counterpart: { identifier: { address: checksummed } },
      meta: { processedAt: '2026-01-02T03:04:05.000Z', txHashes: [hash], supportingDocumentId: document },
    });
    expect(orders[1]).toMatchObject({ id: rejected, meta: { rejectedReason: 'insufficient balance' } });
  });

  it('is narrowed by address, transaction hash, memo and states', async () => {
    const caller = await api.partner();
    const other = lowerAddress('0x00000000000000000000000000000000000000aa');
    const byAddress = await place(caller.profile, { address: other });
    const byHash = await place(caller.profile, { txHashes: [`0x${'01'.repeat(32)}`, hash] });
    await api.ledger
      .insertInto('legHistory')
      .values({
        orderId: byHash,
        kind: 'payout',
        position: 1,
        currency: 'eur',
        amount: minorUnits(1050n),
        outcome: 'done',
        doneAt: new Date(),
        txHash: hash,
      })
      .execute();
    const byMemo = await place(caller.profile, { memo: 'Rent & öther' });
    const pending = await place(caller.profile, { state: 'pending' });
    const processed = await place(caller.profile, { state: 'processed', processedAt: '2026-01-01T00:00:00Z' });
    const ids = async (query: string) =>
      ((await caller.get(`/orders?${query}`)).json.orders as { id: string }[]).map(({ id }) => id).toSorted();
    expect(await ids(`address=${other}`)).toEqual([byAddress]);
    expect(await ids(`txHash=${hash.toUpperCase().replace('0X', '0x')}`)).toEqual([byHash]);
    expect(await ids('memo=Rent%20%26%20%C3%B6ther')).toEqual([byMemo]);
    expect(await ids('state=pending')).toEqual([pending]);
    expect(await ids('state=pending&state=processed')).toEqual([pending, processed].toSorted());
    expect(await ids('state=placed')).toHaveLength(3);
    expect(await ids('state=placed&memo=nothing')).toEqual([]);
  });

  let refused: Partner;
  beforeAll(async () => void (refused = await api.partner()));

  it.each([
    ['limit=0', { limit: 'must be at least 1' }],
    ['limit=501', { limit: 'must be at most 500' }],
    ['limit=ten', { limit: 'must be a whole number, in digits' }],
    ['after=x', { after: 'must be a UUID' }],
    ['after=00000000-0000-4000-8000-000000000000', { after: 'is not an order of this profile' }],
    ['state=lost', { state: 'must be one of placed, pending, processed, rejected' }],
    ['txHash=0x1', { txHash: 'must be a transaction hash: 0x and 64 hexadecimal digits' }],
    ['memo=%00', { memo: 'must be well-formed Unicode without NUL characters' }],
  ])('refuses %s', async (query, errors) => {
    const { status, json } = await refused.get(`/orders?${query}`);
    expect(status).toBe(400);
    expect(json.errors).toEqual(errors);
  });
});
