import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const folder = 'src/ledger/migrations';
const migration = '0041-partitions.sql';

let database: TestDatabase;
let client: Client;

/** A database as the versions before had it: only the schema's own statements run, in their order. */
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url, options: '-c search_path=ledger' });
  await client.connect();
  await client.query('drop schema ledger, partitions, archive cascade');
  await client.query('create schema ledger');
  for (const file of readdirSync(folder).filter((name) => name < migration)) await client.query(readFileSync(`${folder}/${file}`, 'utf8'));
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

it('keeps its rows, and goes on where its sequences were', async () => {
  const [profile, order, rejected, event] = [1, 2, 3, 4].map((n) => `00000000-0000-7000-8000-00000000000${n}`);
  await client.query(`
    insert into profiles (id, kind, name, state) values ('${profile}', 'personal', 'Anna', 'approved');
    insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, state, rejected_reason)
    values ('${order}', 'issue', '${profile}', '0x1', 'gnosis', 'eur', 5, '{}', '', 'placed', null),
      ('${rejected}', 'issue', '${profile}', '0x1', 'gnosis', 'eur', 5, '{}', '', 'placed', null);
    update orders set state = 'rejected', rejected_reason = 'refused' where id = '${rejected}';
    update events set created_at = '2020-01-02Z' where type = 'order.updated';
    insert into events (id, type, profile, subject, data) values ('${event}', 'iban.updated', '${profile}', '${profile}', '{}');
    update events set position = nextval('event_positions');
    insert into users (id, email, name) values ('${profile}', 'a@b.c', 'Anna');
    insert into applications (id, kind, name, owner) values ('${profile}', 'private', 'Shop', '${profile}');
    insert into webhook_subscriptions (id, application, url, types, secret) values ('${order}', '${profile}', 'https://a.b', '{}', 's');
    insert into webhook_deliveries (subscription, event, type, subject, sequence) values ('${order}', '${event}', 'iban.updated', '${profile}', 1);
    insert into entries (id, kind, source, booked_on) values ('${event}', 'opening', 'a', now());
    insert into postings select '${event}', n, 'equity:' || n, 'eur', 1 - 2 * n, now() from generate_series(0, 1) n`);
  const counts = async () =>
    (
      await client.query(`select (select count(*) from events) as events, (select count(*) from webhook_deliveries) as deliveries,
        (select count(*) from audit_log) as audit, (select count(*) from postings) as postings, (select count(*) from balance_changes) as changes`)
    ).rows[0];
  const before = await counts();
  await client.query(`begin; ${readFileSync(`${folder}/${migration}`, 'utf8')}; commit`);
  expect(await counts()).toEqual(before);
  expect(before).toMatchObject({ events: '4', deliveries: '1', postings: '2' });
  expect(Number(before.audit)).toBe(2);
  const { rows: ends } = await client.query(`select rejected_at::text from orders order by id`);
  expect(ends).toEqual([{ rejected_at: null }, { rejected_at: '2020-01-02 00:00:00+00' }]);
  await client.query(`update orders set state = 'rejected', rejected_reason = 'refused' where id = '${order}'`);
  const { rows } = await client.query(
    `select sequence, nextval('event_positions') as position, o.rejected_at is not null as is_rejected
     from events e join orders o on o.id = e.subject where e.subject = '${order}' order by sequence desc limit 1`,
  );
  expect(rows).toEqual([{ sequence: '5', position: '5', is_rejected: true }]);
  await client.query(`update webhook_deliveries set state = 'failed', ended_at = now()`);
});
