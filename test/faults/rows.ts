import { dependencyRows } from './dependency-rows.ts';
import { deploymentRows } from './deployment-rows.ts';
import { byReadiness, byStatus, type FaultRow } from './fault-row.ts';

/** SIGSTOP and SIGCONT: its connections stay, and nobody answers. */
function frozen(name: string, command: RegExp, named: FaultRow['named']): FaultRow {
  return {
    name: `${name} is frozen`,
    begin: async (world) => world.signal(command, 'SIGSTOP'),
    end: async (world) => world.signal(command, 'SIGCONT'),
    named,
  };
}

/** The rows that `npm run faults` runs, of what a sandbox has. */
export const rows: readonly FaultRow[] = [
  frozen('the API', /main\.ts api/, byReadiness),
  frozen('the worker', /main\.ts worker/, byStatus),
  frozen('the indexer with its Ponder', /main\.ts indexer|ponder-program\.ts/, byStatus),
  frozen('Ponder alone', /ponder-program\.ts/, byStatus),
  frozen('the only endpoint', /\banvil\b/, byStatus),
  frozen('PostgreSQL', /bin\/postgres -D|^postgres: /, byReadiness),
  { ...frozen('PgBouncer', /pgbouncer .*\.ini/, byReadiness), needs: 'pgbouncer' },
  { ...frozen('Redis', /redis-server/, byStatus), needs: 'redis' },
  {
    name: 'PostgreSQL is read-only',
    begin: (world) => world.setReadOnly(true),
    end: (world) => world.setReadOnly(false),
    // Heartbeats are writes.
    named: byStatus,
  },
  ...dependencyRows,
  ...deploymentRows,
];
