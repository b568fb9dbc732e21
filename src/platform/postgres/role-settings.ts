import { Client } from 'pg';
import { statementSettings } from '../database.ts';

/**
 * Makes the {@link statementSettings} those of the role in its database: a pooler takes no options of a session, so its connections have them from
 * there (docs/scaling.md, PgBouncer). Returns whether one was not so before; connections that were made before do not have it.
 */
export async function setRoleSettings(directUrl: string): Promise<boolean> {
  const client = new Client({ connectionString: directUrl, application_name: 'mintrail migrate' });
  // A lost connection fails the query under way; without a listener it would end the process as well.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ statement: string }>(
      `select format('alter role current_user in database %I set %I = %L', d.datname, s.key, s.value) as statement
       from pg_database d cross join json_each_text($1) s
       where d.datname = current_database() and not exists (select from pg_db_role_setting
         where setrole = current_user::regrole and setdatabase = d.oid and s.key || '=' || s.value = any(setconfig))`,
      [JSON.stringify(statementSettings)],
    );
    for (const { statement } of rows) await client.query(statement);
    return rows.length > 0;
  } finally {
    await client.end().catch(() => {});
  }
}
