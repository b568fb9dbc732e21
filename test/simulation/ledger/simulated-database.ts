import { Client } from 'pg';
import { createPool } from '../../../src/platform/database.ts';

/** A migrated database whose clock and ids the simulation decides. */
export interface SimulatedDatabase {
  /** Runs SQL outside of the processes that are simulated. */
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Sets the database's clock, in milliseconds since 1970. It may step back. */
  setClock(milliseconds: number): Promise<void>;
  /** Removes all that a run has written, and begins its ids anew. */
  reset(): Promise<void>;
  /** A pool as a process has it. */
  createPool(max: number): ReturnType<typeof createPool>;
  close(): Promise<void>;
}

/** Before PostgreSQL's own functions, so that `now()` and `uuidv7()` in SQL are those of the simulation. */
const searchPath = 'simulation, ledger, pg_catalog';

/** Tables that a run does not write: the customers are the same in all runs. */
const kept = ['applications', 'users', 'profiles', 'addresses', 'address_links', 'ibans', 'audit_log', 'migrations'];

/**
 * Sequences stand in for the clock and for random ids: they cost nothing and no transaction takes them back. Statistics stay as they are, so
 * that a replay gets the same plans. The audit log is left out, and the book may be emptied. The partitions of months stay empty, for the ids are
 * of no month: without them statements are planned, and a run's rows removed, in less time.
 */
const setUp = `
  create schema simulation;
  create sequence simulation.clock minvalue 0;
  create sequence simulation.ids;
  create function simulation.now() returns timestamptz language sql stable
    as $$ select to_timestamp(last_value / 1000.0) from simulation.clock $$;
  create function simulation.uuidv7() returns uuid language sql volatile
    as $$ select ('00000000-0000-7000-8000-' || lpad(to_hex(nextval('simulation.ids')), 12, '0'))::uuid $$;
  do $$
  declare d record;
  begin
    for d in select c.relname, a.attname, regexp_replace(pg_get_expr(f.adbin, f.adrelid), '(pg_catalog\\.)?(uuidv7|now)\\(\\)', 'simulation.\\2()', 'g') as text
      from pg_attrdef f join pg_class c on c.oid = f.adrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = f.adnum
      where c.relnamespace = 'ledger'::regnamespace and pg_get_expr(f.adbin, f.adrelid) ~ '(uuidv7|now)\\(\\)'
    loop
      execute format('alter table ledger.%I alter column %I set default %s', d.relname, d.attname, d.text);
    end loop;
    for d in select name from ledger.list_partitions() where not is_default and begins is not null loop
      execute format('drop table partitions.%I', d.name);
    end loop;
    for d in select oid::regclass as relation from pg_class where relnamespace in ('ledger'::regnamespace, 'partitions'::regnamespace) and relkind = 'r' loop
      execute format('alter table %s set (autovacuum_enabled = false)', d.relation);
    end loop;
    for d in select t.tgname, t.tgrelid::regclass as relation from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where p.proname in ('record_audit', 'refuse_book_change') and t.tgparentid = 0 loop
      execute format('drop trigger %I on %s', d.tgname, d.relation);
    end loop;
  end $$;`;

const restartSequences = `
  select setval(seqrelid, seqstart, false) from pg_sequence join pg_class c on c.oid = seqrelid
  where c.relnamespace = 'ledger'::regnamespace or seqrelid = 'simulation.ids'::regclass`;

/** Prepares a migrated database of the caller's own. */
export async function prepareSimulatedDatabase(url: string): Promise<SimulatedDatabase> {
  const client = new Client({ connectionString: url, options: `-c search_path=${searchPath.replaceAll(' ', '')}` });
  // An error of a statement is thrown by it; one of the connection is noticed by the next statement.
  client.on('error', () => {});
  await client.connect();
  await client.query(setUp);
  const tables = await client.query<{ name: string }>(
    `select format('%I', relname) as name from pg_class where relnamespace = 'ledger'::regnamespace and relkind in ('r', 'p') and not relispartition
     and relname <> all($1)`,
    [kept],
  );
  const names = tables.rows.map(({ name }) => `ledger.${name}`);
  const hasRows = `select name from (values ${names.map((name) => `('${name}', exists (select from ${name}))`).join(', ')}) t(name, has_rows) where has_rows`;
  return {
    query: async <Row extends object>(sql: string, values?: unknown[]) => (await client.query<Row>(sql, values)).rows,
    async setClock(milliseconds) {
      await client.query(`select setval('simulation.clock', ${Math.round(milliseconds)})`);
    },
    async reset() {
      // Emptying a table costs new files, whether it has rows or not.
      const written = await client.query<{ name: string }>(hasRows);
      if (written.rows.length > 0) await client.query(`truncate ${written.rows.map(({ name }) => name).join(', ')} cascade`);
      await client.query(restartSequences);
    },
    createPool(max) {
      const pool = createPool({ connectionString: url, max });
      pool.options.options = `-c search_path=${searchPath.replaceAll(' ', '')}`;
      return pool;
    },
    close: () => client.end(),
  };
}
