import type { PoolClient } from 'pg';

/** Seconds after its last heartbeat in which a process may still write. */
const stillRunningSeconds = 60;

/** The first release that does not use what a migration takes away, by its line `-- contract: unused since 1.2.3`; `undefined` if it only adds. */
export function unusedSince(migration: string): string | undefined {
  return /^-- contract: unused since (\d+\.\d+\.\d+)$/m.exec(migration)?.[1];
}

/** Throws when a migration takes away what a process uses that runs: one whose heartbeat is of an older release. The error names the processes. */
export async function refuseBesideOlder(session: PoolClient, migration: string): Promise<void> {
  const release = unusedSince(migration);
  if (release === undefined) return;
  // What is behind the three numbers of a version, as in 1.2.3-beta, does not count.
  const { rows } = await session.query<{ process: string }>(
    `select distinct concat_ws(' ', component, nullif(chain, ''), version) as process from heartbeats
     where seen_at > now() - make_interval(secs => $1)
       and string_to_array(substring(version from '^\\d+\\.\\d+\\.\\d+'), '.')::int[] < string_to_array($2, '.')::int[] order by 1`,
    [stillRunningSeconds, release],
  );
  if (rows.length === 0) return;
  const running = rows.map(({ process }) => process).join(', ');
  throw new Error(`it takes away what releases before ${release} use, and these run: ${running}. Stop them, and run it again`);
}
