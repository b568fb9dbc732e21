import { sql } from 'kysely';
import type { Actor } from '../../platform/acting.ts';
import type { Ledger } from '../ledger.ts';
import { lowestIdAt } from '../lowest-id.ts';
import { recordAct } from '../access/audit-log.ts';

/** Something that takes a second person, and was done without. */
export interface ActAlone {
  actor: Actor;
  /** Name of the verb, such as `bank.return`. */
  verb: string;
  /** Why it could not wait. */
  reason: string;
}

/** Records in the audit log, as `operation.alone`, that somebody does without the second person what takes one. */
export async function recordActAlone(ledger: Ledger, { actor, verb, reason }: ActAlone): Promise<void> {
  await recordAct(ledger, { actor, action: 'operation.alone', subjectKind: 'operation', subject: verb, detail: { reason } });
}

/** What was done after a time without the second person that it takes: how often, since when, and the latest. */
export async function actsAlone(
  ledger: Ledger,
  after: Date,
): Promise<{ count: number; since: Date; actor: string; verb: string } | undefined> {
  return (
    ledger
      .selectFrom('auditLog')
      // In the text, because a plan for all values uses no index that only some values allow (docs/growth.md, Queries).
      .where(sql<boolean>`action = 'operation.alone'`)
      .where('id', '>=', lowestIdAt(after))
      .select([sql<number>`count(*) over ()::int`.as('count'), sql<Date>`min(at) over ()`.as('since'), 'actor', 'subject as verb'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  );
}
