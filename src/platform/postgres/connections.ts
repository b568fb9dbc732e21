import type { DatabaseOptions } from '../database.ts';
import type { Settings } from '../settings.ts';

/** The settings that say how the database is reached. */
export type DatabaseSettings = Pick<Settings, 'databaseUrl' | 'databaseDirectUrl' | 'databasePrepared'>;

/**
 * For statements and transactions, which leave nothing behind on their connection: `DATABASE_URL`, which may be a pooler in transaction mode
 * where `DATABASE_DIRECT_URL` is set (docs/scaling.md, PgBouncer).
 */
export function statementConnection(
  settings: DatabaseSettings,
): Required<Pick<DatabaseOptions, 'connectionString' | 'isPooled' | 'isPreparing'>> {
  const isPooled = settings.databaseDirectUrl !== undefined;
  const isPreparing = settings.databasePrepared === undefined ? !isPooled : settings.databasePrepared === 'on';
  return { connectionString: settings.databaseUrl, isPooled, isPreparing };
}

/** For what lasts as long as its connection, such as locks of a session, LISTEN and the search path of others: never a pooler. */
export function directUrl({ databaseUrl, databaseDirectUrl }: Pick<DatabaseSettings, 'databaseUrl' | 'databaseDirectUrl'>): string {
  return databaseDirectUrl ?? databaseUrl;
}
