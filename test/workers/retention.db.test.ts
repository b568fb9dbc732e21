import { Registry } from 'prom-client';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { listPartitions } from '../../src/ledger/growth/partitions.ts';
import { createLog } from '../../src/platform/log.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { growthProblems } from '../../src/problems/ledger-problems.ts';
import { boundsOf } from '../../src/problems/bounds.ts';
import { startRetention } from '../../src/workers/retention.ts';
import { until } from '../support/until.ts';
import { createWebhookLedger } from '../support/webhooks/webhook-ledger.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const world = forWholeFile(createWebhookLedger);

const settings = (variables = {}) => loadSettings({ DATABASE_URL: 'postgres://localhost', ...variables });
const problems = async () =>
  (await growthProblems(world.ledger, boundsOf(settings(), new Date()).retention)).map(({ kind, subject }) => `${kind} ${subject}`);
const names = async () => (await listPartitions(world.ledger)).map(({ name }) => name);

it('makes what is missing and retires what is expired, and the status names it until then', async () => {
  for (const table of ['events', 'webhook_deliveries'])
    await sql`select retire_partition(name, false), make_partition(${table}, '2020-01-01Z'), make_partition(${table}, '2020-02-01Z')
      from list_partitions() where parent = ${table} and begins <= now() and ends > now()`.execute(world.ledger);
  await sql`select retire_partition(name, false) from list_partitions() where parent = 'postings' and begins > now()`.execute(world.ledger);
  await sql`insert into events (id, type, profile, subject, data, position)
    values (uuid_at('2020-01-05Z'), 'iban.updated', ${world.profile}, ${world.profile}, '{}', 1), (uuidv7(), 'iban.updated', ${world.profile}, ${world.profile}, '{}', 2)`.execute(
    world.ledger,
  );
  expect(await names()).toContain('events_2020_01');
  expect((await problems()).toSorted()).toEqual([
    'partition_missing events',
    'partition_missing postings',
    ...['events_2020_01', 'events_2020_02', 'webhook_deliveries_2020_01', 'webhook_deliveries_2020_02'].map(
      (name) => `retention_overdue ${name}`,
    ),
  ]);
  const registry = new Registry();
  const retention = startRetention({ settings: settings(), ledger: world.ledger, log: createLog('silent'), registry });
  await until(
    'the retention has run',
    async () => (await registry.getSingleMetricAsString('mintrail_retention_timestamp_seconds')).match(/seconds [1-9]/) ?? undefined,
  );
  await retention.close();
  expect(await problems()).toEqual([]);
  expect((await names()).filter((name) => name.includes('2020'))).toEqual([]);
  expect(await registry.getSingleMetricAsString('mintrail_retention_partitions_total')).toContain('{table="events",action="drop"} 2');
  expect((await sql`select position from events`.execute(world.ledger)).rows).toEqual([{ position: 2n }]);
});

it('clears the bytes of transactions that have ended, and of no others', async () => {
  await sql`insert into transactions (id, chain, signer, nonce, currency, kind, gas_limit, state, hash, block_number, sent_at_block)
    select uuid_at(now() + n * interval '1 s'), 'gnosis', '0x1', n, 'eur', 'issue', 1, case n when 1 then 'settled' else 'mined' end, '0x' || n, 1, 1
    from generate_series(1, 2) n`.execute(world.ledger);
  await sql`insert into transaction_attempts (hash, transaction, position, raw, max_fee_per_gas, max_priority_fee_per_gas, created_at)
    select hash || age, id, age, '0xabc', 1, 1, now() - age * interval '1 day' from transactions, unnest(array[1, 31]) age`.execute(
    world.ledger,
  );
  const retention = startRetention({ settings: settings(), ledger: world.ledger, log: createLog('silent'), registry: new Registry() });
  const cleared = () => sql`select hash from transaction_attempts where raw is null`.execute(world.ledger);
  await until('bytes are cleared', async () => (await cleared()).rows[0]);
  await retention.close();
  expect((await cleared()).rows).toEqual([{ hash: '0x131' }]);
});

it('refuses settings by which an event would end before its deliveries', () => {
  const problem = 'RETENTION_DAYS: events must not be kept for less than deliveries';
  expect(() => settings({ RETENTION_DAYS: 'events:60' })).toThrow(problem);
  expect(() => settings({ RETENTION_DAYS: 'deliveries:0' })).toThrow(problem);
  expect(() => settings({ RETENTION_DAYS: 'audit:30' })).toThrow('RETENTION_DAYS: audit must be 0 or at least 365');
  expect(settings({ RETENTION_DAYS: 'events:0,deliveries:0' })).toMatchObject({
    retentionDays: { events: 0, deliveries: 0, audit: 3_653 },
  });
});
