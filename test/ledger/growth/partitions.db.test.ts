import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { hasAuditEntry } from '../../../src/ledger/access/audit-log.ts';
import { readBalances } from '../../../src/ledger/book/balances.ts';
import { recordEntries } from '../../../src/ledger/book/entries.ts';
import { listPartitions, makePartitions, partitionedTables, partitionGaps } from '../../../src/ledger/growth/partitions.ts';
import { expiredPartitions, type RetentionRule, retirePartition } from '../../../src/ledger/growth/retention.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { lowestIdAt, lowestIdOfDays } from '../../../src/ledger/lowest-id.ts';
import { newestPosition, readFeed } from '../../../src/ledger/orders/order-feed.ts';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { createWebhookLedger } from '../../support/webhooks/webhook-ledger.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const world = forWholeFile(createWebhookLedger);
const day = 86_400_000;
const now = new Date();

const rowsOf = async <Row>(statement: string) => (await sql.raw<Row>(statement).execute(world.ledger)).rows;
const gapsSoon = async () => partitionGaps(world.ledger, await listPartitions(world.ledger), new Date(Date.now() + 14 * day));
const ofTable = async (table: string) => (await listPartitions(world.ledger)).filter((partition) => partition.table === table);
const rules = (...list: [RetentionRule['table'], RetentionRule['action']][]) =>
  list.map(([table, action]) => ({ table, action, days: 30 }));

/** A partition, and why it is kept, if it is. */
type Retired = [string, string | undefined];

async function retire(list: ReturnType<typeof rules>, at: Date) {
  const results: Retired[] = [];
  for (const partition of expiredPartitions(await listPartitions(world.ledger), list, at))
    results.push([partition.name, await retirePartition(world.ledger, partition)]);
  return results;
}

/** The names of partitions that are all retired. */
function names(results: Retired[]): string[] {
  expect(results.map(([, reason]) => reason).filter((reason) => reason !== undefined)).toEqual([]);
  return results.map(([name]) => name);
}

/** The first moment of the month that is so many months away, in UTC. */
function month(away: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + away, 1));
}

const insertEvent = (at: Date) =>
  sql`insert into events (id, type, profile, subject, data) values (uuid_at(${at}), 'profile.updated', ${world.profile}, ${randomUUID()}, '{}')`.execute(
    world.ledger,
  );

describe('partitions', () => {
  it('are there for this month and the next three, and are not made twice', async () => {
    for (const table of partitionedTables) {
      const ranges = (await ofTable(table)).map(({ begins, ends }) => [begins, ends]);
      expect(ranges).toEqual([
        [month(0), month(1)],
        [month(1), month(2)],
        [month(2), month(3)],
        [month(3), month(4)],
        [null, null],
      ]);
    }
    expect(await Promise.all([makePartitions(world.ledger), makePartitions(world.ledger)])).toEqual([0, 0]);
    expect(await gapsSoon()).toEqual([]);
  });

  it('give way to a month that the default partition had rows of, in whatever month and table that is', async () => {
    const before = await readBalances(world.ledger);
    await insertEvent(new Date(month(6).getTime() + day));
    await sql`
      with added as (insert into entries (id, kind, source, booked_on) values (uuid_at(${month(7)}), 'opening', 'a', now()))
      insert into postings values (uuid_at(${month(7)}), 0, 'assets:claims', 'eur', 5, now()), (uuid_at(${month(7)}), 1, 'equity:operator', 'eur', -5, now())
    `.execute(world.ledger);
    // No id of version 7: nobody knows its month.
    await sql`insert into events (id, type, profile, subject, data) values ('10000000-0000-4000-8000-000000000000', 'profile.updated', ${world.profile}, ${world.profile}, '{}')`.execute(
      world.ledger,
    );
    await sql`insert into events (id, type, profile, subject, data) values ('f0000000-0000-4000-8000-000000000000', 'profile.updated', ${world.profile}, ${world.profile}, '{}')`.execute(
      world.ledger,
    );
    expect((await gapsSoon()).map(({ table, hasUnsortedRows }) => [table, hasUnsortedRows])).toEqual([
      ['events', true],
      ['postings', true],
    ]);
    expect(await makePartitions(world.ledger)).toBe(2);
    expect((await ofTable('events')).map(({ begins }) => begins)).toContainEqual(month(6));
    expect((await gapsSoon()).map(({ table }) => table)).toEqual(['events']);
    const after = await readBalances(world.ledger);
    expect(before).toEqual([]);
    expect(after.map(({ amount }) => amount)).toEqual([5n, -5n]);
    await sql`truncate events`.execute(world.ledger);
    expect(await rowsOf(`select 1 from postings`)).toHaveLength(2);
  });

  it('keep what is append-only so, by whatever name it is reached', async () => {
    await world.subscribe('https://example.com/hook');
    for (const table of ['audit_log', 'postings'])
      for (const { name } of await ofTable(table))
        for (const statement of [`delete from partitions.${name}`, `truncate partitions.${name}`])
          await expect(rowsOf(statement), statement).rejects.toThrow('append-only');
  });

  it('take no postings directly, which only the parent checks', async () => {
    for (const { name } of await ofTable('postings'))
      await expect(
        rowsOf(`insert into partitions.${name} values (uuid_at(now()), 0, 'assets:claims', 'eur', 5, now())`),
        name,
      ).rejects.toThrow(`not into its partition ${name}`);
  });
});

describe('the retention', () => {
  it('drops deliveries, then their events, and keeps those that are not done', async () => {
    await sql`truncate events, webhook_deliveries`.execute(world.ledger);
    const both = rules(['webhook_deliveries', 'drop'], ['events', 'drop']);
    const later = new Date(month(1).getTime() + 31 * day);
    await world.orderEvent(randomUUID());
    const [[deliveries, gone], [events, waiting]] = (await retire(both, later)) as [Retired, Retired];
    expect([deliveries, gone]).toEqual([expect.stringMatching(/^webhook_deliveries_\d{4}_\d\d$/), undefined]);
    expect(waiting).toBe('it has events that are not given to subscriptions yet');
    // What has no partition any more is still taken.
    expect(await dispatchEvents(world.ledger, 10)).toMatchObject({ events: 1, deliveries: 1 });
    await makePartitions(world.ledger);
    const kept = await retire(both, later);
    expect(kept.map(([, reason]) => reason)).toEqual(['it has deliveries that have not ended', 'its deliveries are still kept']);
    await sql`update webhook_deliveries set state = 'delivered', ended_at = now()`.execute(world.ledger);
    expect((await retire(both, later)).map(([, reason]) => reason)).toEqual([undefined, undefined]);
    expect(await rowsOf('select from events')).toEqual([]);
    expect(await rowsOf('select from webhook_deliveries')).toEqual([]);
    const audited = { actor: 'mintrail', action: 'retention.drop', subject: events, since: new Date(now.getTime() - day) };
    expect(await hasAuditEntry(world.ledger, { ...audited, detail: { ends: month(1).toISOString().replace('.000Z', '+00:00') } })).toBe(
      true,
    );
  });

  it('archives postings, which changes no balance, and takes them back', async () => {
    await inTransaction(world.ledger, (tx) =>
      recordEntries(tx, [
        {
          kind: 'credit',
          source: 'x',
          debit: 'assets:bank:sandbox',
          credit: 'liabilities:issue',
          currency: 'eur',
          amount: minorUnits(700n),
        },
      ]),
    );
    const balances = await readBalances(world.ledger);
    const [name] = names(await retire(rules(['postings', 'archive']), new Date(month(1).getTime() + 31 * day)));
    expect(await rowsOf('select from postings where account = $$liabilities:issue$$')).toEqual([]);
    expect(await rowsOf(`select amount from archive.${name} where account = 'liabilities:issue'`)).toEqual([{ amount: -700n }]);
    await expect(rowsOf(`delete from archive.${name}`)).rejects.toThrow('append-only');
    expect(await readBalances(world.ledger)).toEqual(balances);
    await rowsOf(`select restore_partition('${name}')`);
    expect(await rowsOf('select amount from postings where account = $$liabilities:issue$$')).toEqual([{ amount: -700n }]);
    expect(await readBalances(world.ledger)).toEqual(balances);
  });

  it('gives up soon when a table is in use, and does nothing then', async () => {
    await inTransaction(world.ledger, async (tx) => {
      await sql`select from audit_log limit 1`.execute(tx);
      expect((await retire(rules(['audit_log', 'drop']), new Date(month(1).getTime() + 31 * day)))[0]?.[1]).toBe('its table is in use');
    });
    expect(await rowsOf('select from audit_log')).not.toEqual([]);
  });
});

it('begins with the lowest id of its first millisecond', async () => {
  const { rows } = await sql<{ id: string }>`select ${lowestIdAt(new Date(0x01_9a_56_f3_b2_c1))} as id`.execute(world.ledger);
  expect(rows).toEqual([{ id: '019a56f3-b2c1-7000-8000-000000000000' }]);
});

it('removes what has ended early from the indexes of open work, also in partitions that are made later', async () => {
  await rowsOf(`select make_partition('events', '${month(9).toISOString()}')`);
  const tables = await rowsOf<{ name: string; early: boolean }>(`
    select c.relname as name, coalesce(c.reloptions @> array['vacuum_index_cleanup=on', 'autovacuum_vacuum_scale_factor=0.02'], false) as early
    from pg_class c where c.relkind = 'r' and c.relnamespace = any(array['ledger'::regnamespace, 'partitions'::regnamespace])
      and c.relname ~ '^(orders|open_legs|transactions|credits|payments|events_.*|webhook_deliveries_.*)$'`);
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['open_legs', 'orders', `events_${month(9).toISOString().slice(0, 7).replace('-', '_')}`]),
  );
  expect(tables.filter(({ early }) => !early)).toEqual([]);
});

describe('an event', () => {
  it('is delivered to a subscription once, under an id of its own month', async () => {
    const event = await world.orderEvent(randomUUID());
    await dispatchEvents(world.ledger, 10, 'recent');
    const id = (await world.deliveries()).find((delivery) => delivery.event === event)?.id;
    expect(id).toMatch(new RegExp(`^${event.slice(0, 14)}7[0-9a-f]{3}-[89ab]`));
    await sql`update events set position = null where id = ${event}`.execute(world.ledger);
    await expect(dispatchEvents(world.ledger, 10)).rejects.toThrow('webhook_deliveries_');
    await sql`update events set position = nextval('event_positions') where id = ${event}`.execute(world.ledger);
  });

  it('of long ago that has no position yet gets one by the sweep, before those of today', async () => {
    await insertEvent(new Date(now.getTime() - 100 * day));
    expect(await dispatchEvents(world.ledger, 10, 'recent')).toMatchObject({ events: 0 });
    expect(await dispatchEvents(world.ledger, 10, 'all')).toMatchObject({ events: 1 });
  });
});

describe('what is asked many times in a second', () => {
  it('reads the partitions of a month or two, however many there are', async () => {
    await sql`truncate events`.execute(world.ledger);
    for (let away = -40; away < 0; away += 1) await rowsOf(`select make_partition('events', '${month(away).toISOString()}')`);
    const order = await world.orderEvent(randomUUID());
    await dispatchEvents(world.ledger, 10, 'recent');
    const [{ position } = { position: 0n }] = await rowsOf<{ position: bigint }>(`select position from events where id = '${order}'`);
    expect(await newestPosition(world.ledger)).toBe(position);
    expect((await readFeed(world.ledger, { after: position - 1n, limit: 10 })).map(({ event }) => event.id)).toEqual([order]);
    const recent = lowestIdOfDays(31);
    for (const query of [
      sql`select position from events where position is not null and id >= ${recent} order by position desc limit 1`,
      sql`select from events where position > ${position} and id >= ${recent} order by position limit 10`,
      sql`select exists (select from events where position is null and id >= ${recent})`,
      sql`select from events where id = ${order}`,
    ]) {
      const { rows } = await sql<Record<string, string>>`explain ${query}`.execute(world.ledger);
      const plan = rows.flatMap((row) => Object.values(row)).join('\n');
      const read = new Set(plan.match(/events_\d{4}_\d\d\b/g));
      // This month, the one before, and those ahead.
      expect(read.size, plan).toBeLessThanOrEqual(6);
    }
  });
});
