import { Client } from 'pg';
import { ledgerSchema } from '../database.ts';

/**
 * Makes the ledger's schema the search path of the role in its database: a pooler takes no options of a session, so its connections have the
 * path from there (docs/scaling.md, PgBouncer). Returns whether that was not so before; connections that were made before do not have it.
 */
export async function setRoleSearchPath(directUrl: string): Promise<boolean> {
  const client = new Client({ connectionString: directUrl, application_name: 'mintrail migrate' });
  // A lost connection fails the query under way; without a listener it would end the process as well.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ statement: string; isSet: boolean }>(
      `select format('alter role current_user in database %I set search_path = %I', datname, $1::text) as statement,
         exists (select from pg_db_role_setting
           where setrole = current_user::regrole and setdatabase = d.oid and 'search_path=' || $1 = any(setconfig)) as "isSet"
       from pg_database d where datname = current_database()`,
      [ledgerSchema],
    );
    const { statement = '', isSet = true } = rows[0] ?? {};
    if (!isSet) await client.query(statement);
    return !isSet;
  } finally {
    await client.end().catch(() => {});
  }
}
