import { type RawBuilder, sql } from 'kysely';
import { type Actor, auditedActor } from '../../platform/acting.ts';
import type { Ledger } from '../ledger.ts';
import { lowestIdAt, lowestIdOfDays } from '../lowest-id.ts';

/** Which entries of the audit log to list. */
export interface AuditFilter {
  /** Id of an application or a user, or an operator's name. */
  actor?: string | undefined;
  /** Id, address, reference or name of what was changed. */
  subject?: string | undefined;
  /** Such as `address.link`, or `app` for all that begin so. */
  action?: string | undefined;
  since?: Date | undefined;
  /** Id of an entry: only those before it. */
  after?: string | undefined;
  limit: number;
}

/** Most lists are full with the entries of so many days; only for the others are all partitions read. */
const newestDays = 31;

/**
 * Changes by persons, applications and operators, the latest first. Triggers of the database write them (src/schema/audit.sql); those of redemptions that
 * are placed and of credits that are reported are written by the statements that insert these (docs/decisions/0003-audit-by-triggers.md).
 */
export async function listAudit(ledger: Ledger, { actor, subject, action, since, after, limit }: AuditFilter) {
  let query = ledger
    .selectFrom('auditLog')
    .select(['id', 'at', 'actorKind', 'actor', 'action', 'subjectKind', 'subject'])
    .select(['correlationId', 'detail'])
    .select([
      nameOf(sql`audit_log.actor_kind`, sql`audit_log.actor`).as('actorName'),
      nameOf(sql`audit_log.subject_kind`, sql`audit_log.subject`).as('subjectName'),
    ])
    .orderBy('id', 'desc')
    .limit(limit);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (action !== undefined) query = query.where(sql<boolean>`(action = ${action} or starts_with(action, ${`${action}.`}))`);
  if (after !== undefined) query = query.where('id', '<', after);
  // An entry's id is not older than its time, so older partitions need not be read.
  if (since !== undefined) return query.where('at', '>=', since).where('id', '>=', lowestIdAt(since)).execute();
  const newest = await query.where('id', '>=', lowestIdOfDays(newestDays)).execute();
  return newest.length === limit ? newest : query.execute();
}

/** The name that an application has now; null for everything else. Only what is the id of one is cast. */
function nameOf(kind: RawBuilder<unknown>, id: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`case when ${kind} = 'application' and ${id} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    then (select name from applications where applications.id = ${id}::uuid) end`;
}

/** Whether the audit log has an entry of an actor's action on a subject since a time, with at least these keys in its detail. */
export async function hasAuditEntry(
  ledger: Ledger,
  { actor, action, subject, since, detail = {} }: { actor: string; action: string; subject: string; since: Date; detail?: object },
): Promise<boolean> {
  const entry = await ledger
    .selectFrom('auditLog')
    .where('subject', '=', subject)
    .where('actor', '=', actor)
    .where('action', '=', action)
    .where('at', '>=', since)
    .where('id', '>=', lowestIdAt(since))
    .where(sql<boolean>`detail @> ${JSON.stringify(detail)}::jsonb`)
    .select('id')
    .executeTakeFirst();
  return entry !== undefined;
}

/** Something that no row of the ledger shows, such as that a person has read documents. */
export interface UnwrittenAct {
  actor: Actor;
  /** Such as `profile.documents`. */
  action: string;
  subjectKind: string;
  subject: string;
  detail: object;
}

/** Records an act that changes no row, for which no trigger writes an entry. */
export async function recordAct(ledger: Ledger, { actor, action, subjectKind, subject, detail }: UnwrittenAct): Promise<void> {
  const { actorKind, actor: name, actorCorrelationId } = auditedActor(actor);
  await ledger
    .insertInto('auditLog')
    .values({ actorKind, actor: name, action, subjectKind, subject, correlationId: actorCorrelationId, detail: JSON.stringify(detail) })
    .execute();
}
