import type { Command } from 'commander';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { directUrl, statementConnection } from '../../platform/postgres/connections.ts';
import { setRoleSettings } from '../../platform/postgres/role-settings.ts';
import { cliSettings } from '../cli-settings.ts';

/** `mintrail migrate`. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description(
      'bring the tables of the ledger and the queues to this version; safe at every deployment, and from several machines at once',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const settings = cliSettings();
      // Side by side: while the database makes the tables, this process loads what the queues need.
      const [ledger, queues] = await Promise.allSettled([
        import('../../schema/migrate.ts').then(({ migrateLedger }) => migrateLedger(directUrl(settings))),
        import('../../platform/queue/backend.ts').then(({ migrateQueue }) => migrateQueue(settings)),
      ]);
      for (const outcome of [ledger, queues]) if (outcome.status === 'rejected') throw outcome.reason;
      const migrations = ledger.status === 'fulfilled' ? ledger.value : [];
      const isReconnectNeeded = statementConnection(settings).isPooled && (await setRoleSettings(directUrl(settings)));
      if (json) return print(renderJson({ migrations, reconnectPooler: isReconnectNeeded }));
      print(migrations.length > 0 ? `Migrated: ${migrations.join(', ')}` : 'Nothing to migrate: the tables are at this version.');
      if (isReconnectNeeded)
        print(
          'Set search_path and the planner of the role. A pooler without connect_query has older connections that lack them: make it reconnect (PgBouncer: RECONNECT).',
        );
    });
}
