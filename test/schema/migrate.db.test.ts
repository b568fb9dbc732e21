import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes, renderError } from '../../src/cli/render-error.ts';
import { readSchema } from '../../scripts/schema/read-schema.ts';
import { migrateLedger } from '../../src/schema/migrate.ts';
import { fingerprintOf, type SchemaFiles } from '../../src/schema/schema-files.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { createMadeUpSchemas } from './made-up-schema.ts';

const migratorLock = `hashtextextended('migrate', 0)`;

let database: TestDatabase;
let other: Client;
let schemas: ReturnType<typeof createMadeUpSchemas>;

beforeAll(async () => void (database = await createTestDatabase()));
beforeEach(async () => {
  other = await connect();
  await other.query('drop schema if exists ledger, partitions, archive cascade');
  schemas = createMadeUpSchemas();
});

afterEach(async () => {
  schemas.close();
  await other.end();
});
afterAll(() => database.drop());

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: database.url, options: '-c search_path=ledger' });
  await client.connect();
  return client;
}

const people = 'create table people (id integer primary key, name text not null);';
const notes = 'create table notes (person integer not null references people, text text not null);';

/** The first release, and the next one with what leads to it; `middle` has the first of its two migrations. */
function twoReleases(): { first: SchemaFiles; middle: SchemaFiles; next: SchemaFiles } {
  const first = schemas.write({ files: { people, notes } });
  const withMood = notes.replace('text text not null', 'text text not null,\n  mood text');
  const indexed = `${withMood}\ncreate index notes_person on notes (person);`;
  const moods = { '0001-moods': schemas.from(first, 'alter table notes add column mood text;') };
  const middle = schemas.write({ files: { people, notes: withMood }, migrations: moods });
  const next = schemas.write({
    files: { people, notes: indexed },
    migrations: {
      ...moods,
      '0002-notes-of-a-person': schemas.from(middle, 'create index concurrently if not exists notes_person on notes (person);'),
    },
  });
  return { first, middle, next };
}

const migrate = (files: SchemaFiles): Promise<unknown> => migrateLedger(database.url, files).catch((error: unknown) => error);

const recorded = async () =>
  (await other.query<{ name: string }>('select name from migrations order by name')).rows.map(({ name }) => name);

async function columns(table: string): Promise<string[]> {
  const { rows } = await other.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = to_regclass($1) and attnum > 0 order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

async function isValid(index: string): Promise<boolean | undefined> {
  const { rows } = await other.query<{ valid: boolean }>('select indisvalid as valid from pg_index where indexrelid = to_regclass($1)', [
    index,
  ]);
  return rows[0]?.valid;
}

const writes = `update notes set text = '' where false`;

/** A transaction that has written notes: no index of them is finished for as long as it is open. */
async function beginWriting(): Promise<Client> {
  const writer = await connect();
  await writer.query(`begin; ${writes}`);
  return writer;
}

/** Waits until the migrator is at a statement, and returns its process. */
function migratorAt(statement: string): Promise<number> {
  return until(`the migrator is at ${statement}`, async () => {
    const { rows } = await other.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'mintrail migrate' and query like $1`,
      [`%${statement}%`],
    );
    return rows[0]?.pid;
  });
}

/** A worker of a version has written its heartbeat so many seconds ago. */
const beat = (version: string, age = 5) =>
  other.query(`insert into heartbeats values ('worker', 'chiado', $1, now() - make_interval(secs => $2))`, [version, age]);

describe('an empty database', () => {
  it('gets the schema of the files, and needs none of the migrations that led to it', async () => {
    const { next } = twoReleases();
    expect(await migrate(next)).toEqual(['0000-schema']);
    expect(await columns('notes')).toEqual(['person', 'text', 'mood']);
    expect(await recorded()).toEqual(['0000-schema', '0001-moods', '0002-notes-of-a-person']);
    expect(await migrate(next)).toEqual([]);
  });

  it('stays empty when a file fails, which the error names', async () => {
    const broken = schemas.write({ files: { people, notes: 'create table notes (person integer references nobody);' } });
    expect(await migrate(broken)).toMatchObject({
      code: 'migration_failed',
      message: `The schema's file notes.sql failed: relation "nobody" does not exist`,
    });
    expect(await columns('people')).toEqual([]);
    expect(await migrate(twoReleases().first)).toEqual(['0000-schema']);
  });
});

describe('a database of the release before', () => {
  let middle: SchemaFiles;
  let next: SchemaFiles;

  beforeEach(async () => {
    const releases = twoReleases();
    ({ middle, next } = releases);
    await migrateLedger(database.url, releases.first);
  });

  it('gets the migrations that it lacks, and is as a new one then', async () => {
    expect(await migrate(next)).toEqual(['0001-moods', '0002-notes-of-a-person']);
    expect(await columns('notes')).toEqual(['person', 'text', 'mood']);
    expect(await isValid('notes_person')).toBe(true);
    expect(await migrate(next)).toEqual([]);
    const migrated = await readSchema(other);
    await other.query('drop schema ledger cascade');
    await migrateLedger(database.url, next);
    expect(await readSchema(other)).toEqual(migrated);
  });

  it('loses nothing when the migrator loses it, and the next one goes on', async () => {
    await other.query(`select pg_advisory_lock(${migratorLock})`);
    const migrated = migrate(next);
    await other.query('select pg_terminate_backend($1)', [await migratorAt('pg_try_advisory_lock')]);
    expect(renderError(await migrated, [])).toBe(exitCodes.retry);
    await other.query(`select pg_advisory_unlock(${migratorLock})`);
    expect(await migrate(next)).toEqual(['0001-moods', '0002-notes-of-a-person']);
  });

  it('lets writers go on while an index is built, and another migrator wait', async () => {
    const writer = await connect();
    try {
      await migrateLedger(database.url, middle);
      await writer.query(`begin; ${writes}`);
      const both = [migrate(next), migrate(next)];
      await migratorAt('create index concurrently if not exists notes_person');
      // Behind an index that is not built concurrently, this statement would wait for the transaction that is open.
      await other.query(writes);
      // The statement runs a moment before the index is in the catalogue.
      expect(await until('the index is in the catalogue', () => isValid('notes_person'))).toBe(false);
      await writer.query('commit');
      expect((await Promise.all(both)).flat()).toEqual(['0002-notes-of-a-person']);
      expect(await isValid('notes_person')).toBe(true);
    } finally {
      await writer.end();
    }
  });

  it('gets an index again that was not finished when the migrator was killed', async () => {
    await migrateLedger(database.url, middle);
    const writer = await beginWriting();
    const killed = migrate(next);
    await other.query('select pg_terminate_backend($1)', [await migratorAt('create index concurrently if not exists notes_person')]);
    expect(renderError(await killed, [])).toBe(exitCodes.retry);
    await writer.end();
    expect(await isValid('notes_person')).toBe(false);
    expect(await migrate(next)).toEqual(['0002-notes-of-a-person']);
    expect(await isValid('notes_person')).toBe(true);
  });

  it('is not changed by a migration that fails, whose name the error says, and those before it stay', async () => {
    await other.query('alter table notes rename to jottings');
    const { first } = twoReleases();
    const half = { '0001-new': schemas.from(first, 'create table moods (name text); alter table notes add column mood text;') };
    const broken = schemas.write({ files: { people, notes }, migrations: half });
    expect(await migrate(broken)).toMatchObject({
      code: 'migration_failed',
      message: 'Migration 0001-new failed: relation "notes" does not exist',
    });
    expect(await columns('moods')).toEqual([]);
    expect(await recorded()).toEqual(['0000-schema']);
  });

  it('is not changed by an older version', async () => {
    const { first } = twoReleases();
    await migrateLedger(database.url, next);
    expect(await migrate(first)).toMatchObject({
      message: expect.stringContaining('newer version, which has the migrations 0001-moods, 0002-notes-of-a-person'),
    });
  });
});

describe('a migration that takes something away', () => {
  const workers = `create table heartbeats (component text, chain text, version text, seen_at timestamptz not null default now());`;
  const files = { people, notes, workers };
  let next: SchemaFiles;

  beforeEach(async () => {
    const first = schemas.write({ files: { ...files, notes: notes.replace('text text', 'mood text, text text') } });
    await migrateLedger(database.url, first);
    const text = schemas.from(first, '-- contract: unused since 0.2.0\nalter table notes drop column mood;');
    next = schemas.write({ files, migrations: { '0001-no-moods': text } });
  });

  it('is refused while a worker of an older release runs, which the error names', async () => {
    await beat('0.1.9');
    await beat('0.2.0');
    // Of a release that still writes the column.
    await other.query(`insert into people values (1, 'Anna'); insert into notes (person, mood, text) values (1, 'good', 'hello')`);
    expect(await migrate(next)).toMatchObject({
      code: 'migration_failed',
      message:
        'Migration 0001-no-moods failed: it takes away what releases before 0.2.0 use, and these run: worker chiado 0.1.9. Stop them, and run it again',
    });
    expect(await columns('notes')).toContain('mood');
    await other.query(`delete from heartbeats where version = '0.1.9'`);
    expect(await migrate(next)).toEqual(['0001-no-moods']);
    await expect(other.query(`insert into notes (person, mood, text) values (1, 'good', 'hello')`)).rejects.toThrow('column "mood"');
  });

  it('runs beside workers that do not use it any more, and after those that did have ended', async () => {
    await beat('0.1.9', 61);
    await beat('0.2.0');
    await beat('0.10.0-beta');
    expect(await migrate(next)).toEqual(['0001-no-moods']);
  });
});

describe('a database that no release has made', () => {
  it('is refused where the files have changed and no migration leads to them', async () => {
    const { first } = twoReleases();
    await migrateLedger(database.url, first);
    const changed = schemas.write({ files: { people, notes: notes.replace('text text', 'text varchar') } });
    expect(await migrate(changed)).toMatchObject({
      code: 'migration_failed',
      message: expect.stringMatching(
        new RegExp(`another state of the schema than a release: it has the schema ${fingerprintOf(first)}, and .*--fresh`),
      ),
    });
  });

  it('is refused where a migration begins with another schema than it has', async () => {
    await migrateLedger(database.url, schemas.write({ files: { people } }));
    expect(await migrate(twoReleases().next)).toMatchObject({ message: expect.stringContaining('another state of the schema') });
    expect(await recorded()).toEqual(['0000-schema']);
  });

  it('is refused where it has tables and no record of them', async () => {
    await other.query('create schema ledger; create table ledger.orders (id uuid)');
    expect(await migrate(twoReleases().first)).toMatchObject({ message: expect.stringContaining('not ledger.migrations') });
  });

  it('is the same where comments have changed alone', async () => {
    await migrateLedger(database.url, schemas.write({ files: { people } }));
    const commented = `-- Who writes.\n${people}\ncomment on table people is 'Who''s there;\n  for all.';`;
    expect(await migrate(schemas.write({ files: { people: commented } }))).toEqual([]);
  });
});

it('a migration says which schema it changes', async () => {
  await migrateLedger(database.url, schemas.write({ files: { people } }));
  const silent = schemas.write({ files: { people }, migrations: { '0001-x': 'drop table people;' } });
  expect(await migrate(silent)).toMatchObject({ message: expect.stringContaining('Migration 0001-x has no line `-- from: …`') });
});
