import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { settleLegs } from '../../src/ledger/orders/settling/settle-legs.ts';
import { type EventRow, eventColumns, eventOf } from '../../src/ledger/orders/events.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { insertRedemption } from '../../src/ledger/orders/placement/insert-redemptions.ts';
import { eventBody } from '../../src/wire/event.ts';
import { orderBody } from '../../src/wire/order.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { testLedger } from '../support/test-ledger.ts';
import { unsignedDraft } from '../support/redemptions.ts';

const database = testLedger();
const { ledger } = database;
let customer: TestCustomer;

beforeAll(async () => {
  customer = await createCustomer(ledger, 'chiado');
});

/** More than a JavaScript number holds. */
const amount = 9_007_199_254_740_993n;

async function place(): Promise<string> {
  const id = randomUUID();
  const { profile, address } = customer;
  const counterpart = { identifier: { standard: 'chain', address, chain: 'sepolia' }, details: {} } as const;
  const draft = unsignedDraft({ id, profile, address, amount: amount.toString(), counterpart, referenceNumber: 'RF18' });
  await inTransaction(ledger, (tx) => insertRedemption(tx, draft, 'by key'));
  return id;
}

async function bodies(subject: string) {
  const { rows } = await sql<EventRow>`select ${eventColumns('e')} from events e where e.subject = ${subject} order by e.sequence`.execute(
    ledger,
  );
  return rows.map((row) => eventBody(eventOf(row)));
}

const answer = async (id: string) =>
  orderBody(await ledger.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirstOrThrow());

describe('the body of an event', () => {
  it('shows an order as the answers of that moment did', async () => {
    const id = await place();
    const created = await answer(id);
    const [leg] = await ledger.selectFrom('legs').where('orderId', '=', id).orderBy('position').select('id').execute();
    const refused = { legId: leg?.id as string, txHash: `0x${'ab'.repeat(32)}`, blockNumber: 7n, refused: 'account blocked' };
    await inTransaction(ledger, (tx) => settleLegs(tx, [refused]));
    const rejected = await answer(id);
    expect(created.amount).toBe('90071992547409.93');
    expect(rejected.meta).toMatchObject({ rejectedReason: 'account blocked', txHashes: [refused.txHash] });
    expect(await bodies(id)).toEqual([
      { type: 'order.created', timestamp: expect.stringMatching(/Z$/), data: created },
      { type: 'order.updated', timestamp: expect.stringMatching(/Z$/), data: rejected },
    ]);
  });
});
