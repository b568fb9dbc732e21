import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { type EventRow, eventColumns, eventOf } from '../../../src/ledger/orders/events.ts';
import { insertRedemption } from '../../../src/ledger/orders/placement/insert-redemptions.ts';
import { eventBody } from '../../../src/wire/event.ts';
import { orderBody } from '../../../src/wire/order.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { unsignedDraft } from '../../support/redemptions.ts';
import { endLeg } from '../../support/end-leg.ts';

const { ledger } = testLedger();
let customer: TestCustomer;

beforeAll(async () => {
  customer = await createCustomer(ledger, 'chiado');
});

const message = 'Send EUR 12.50 to IS14 at 2026-01-01T00:00:00Z';
const signature = `0x${'5e'.repeat(65)}`;
/** More than a JavaScript number holds. */
const amount = '9007199254740993';

async function place(): Promise<string> {
  const id = randomUUID();
  const counterpart = { identifier: { standard: 'iban', iban: 'IS140159260076545510730339' }, details: { name: 'Jón' } } as const;
  const draft = unsignedDraft({
    id,
    profile: customer.profile,
    address: customer.address,
    amount,
    counterpart,
    referenceNumber: 'RF18539007547034',
    message,
    signature,
    correlationId: 'a-request',
  });
  expect(await inTransaction(ledger, (tx) => insertRedemption(tx, draft, 'by key'))).toBe(true);
  return id;
}

/** Refuses the burning, which ends the order. */
const reject = (id: string) => endLeg(ledger, id, 'redeem', { txHash: `0x${'ab'.repeat(32)}`, refused: 'account blocked' });

const eventsOf = (on: Ledger, subject: string) =>
  on.selectFrom('events').where('subject', '=', subject).orderBy('sequence').selectAll().execute();

describe('the events of an order', () => {
  it('are told as the answers of their moment were', async () => {
    const id = await place();
    const answer = async () => orderBody(await ledger.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirstOrThrow());
    const created = await answer();
    await reject(id);
    const { rows } = await sql<EventRow>`select ${eventColumns('e')} from events e where e.subject = ${id} order by e.sequence`.execute(
      ledger,
    );
    expect(created.amount).toBe('90071992547409.93');
    expect(rows.map((row) => eventBody(eventOf(row)))).toEqual([
      { type: 'order.created', timestamp: expect.stringMatching(/Z$/), data: created },
      { type: 'order.updated', timestamp: expect.stringMatching(/Z$/), data: await answer() },
    ]);
  });

  it('hold what the page about the API lists, under names of their own, and no signature, message or hash of a request', async () => {
    const id = await place();
    await reject(id);
    const facts = {
      id,
      kind: 'redeem',
      profile: customer.profile,
      address: customer.address,
      chain: 'chiado' as const,
      currency: 'eur',
      amount,
      counterpart: { identifier: { standard: 'iban', iban: 'IS140159260076545510730339' }, details: { name: 'Jón' } },
      memo: 'Rent for May',
      referenceNumber: 'RF18539007547034',
      placedAt: expect.stringMatching(/^\d{4}-/),
      processedAt: null,
      supportingDocument: null,
      givesBack: null,
      heldFor: null,
      heldUntil: null,
    };
    expect(await eventsOf(ledger, id)).toMatchObject([
      { type: 'order.created', profile: customer.profile, correlationId: 'a-request' },
      { type: 'order.updated', profile: customer.profile, correlationId: 'a-request' },
    ]);
    expect((await eventsOf(ledger, id)).map(({ data }) => data)).toEqual([
      { ...facts, state: 'placed', rejectedReason: null, txHashes: [] },
      { ...facts, state: 'rejected', rejectedReason: 'account blocked', txHashes: [`0x${'ab'.repeat(32)}`] },
    ]);
    const { digest, requestHash } = await ledger.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirstOrThrow();
    const { rows } = await sql<{ text: string }>`select string_agg(data::text, '') as text from events where subject = ${id}`.execute(
      ledger,
    );
    for (const secret of [message, signature, digest, requestHash?.toString('hex')]) expect(rows[0]?.text).not.toContain(secret);
  });

  it('do not change when a column is renamed', async () => {
    const [before, after] = [await place(), await place()];
    await reject(before);
    const undone = new Error('undone');
    let renamed: Record<string, unknown> | undefined;
    const transaction = inTransaction(ledger, async (tx) => {
      for (const column of ['memo', 'reference_number', 'supporting_document', 'chain'])
        await sql`alter table orders rename column ${sql.ref(column)} to ${sql.ref(`${column}_renamed`)}`.execute(tx);
      // What ends an order, without the statements that name the columns by their old names.
      await sql`update orders set state = 'rejected', rejected_reason = 'account blocked', tx_hashes = ${[`0x${'ab'.repeat(32)}`]} where id = ${after}`.execute(
        tx,
      );
      renamed = (await eventsOf(tx, after)).at(-1)?.data;
      throw undone;
    });
    await expect(transaction).rejects.toBe(undone);
    const same = (await eventsOf(ledger, before)).at(-1)?.data;
    expect(renamed).toEqual({ ...same, id: after, placedAt: expect.any(String) });
  });

  it('come from three functions of the database alone', async () => {
    const { rows } = await sql<{ name: string }>`
      select proname as name from pg_proc where pronamespace = 'ledger'::regnamespace and prosrc ~ 'insert into events' order by proname`.execute(
      ledger,
    );
    expect(rows.map(({ name }) => name)).toEqual(['announce_ended_orders', 'announce_held_order', 'announce_placed_orders']);
    const sources = globSync(['src/**/*.ts', 'indexer/**/*.ts']).sort();
    const writers = sources.filter((file) => /insert\s+into\s+events|insertInto\('events'\)/.test(readFileSync(file, 'utf8')));
    expect(writers).toEqual(['src/ledger/customers/ibans.ts', 'src/ledger/customers/profile-sections.ts']);
    for (const file of writers) expect(readFileSync(file, 'utf8')).not.toContain("'order.");
  });
});
