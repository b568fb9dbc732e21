import { z } from 'zod';
import { listAudit } from '../../ledger/access/audit-log.ts';
import { operatorRoles } from '../../ledger/operators/operators.ts';
import { defineView } from '../view.ts';

/** Who did what. */
export const auditEntries = defineView({
  name: 'audit.entries',
  summary: 'list changes by users, applications and operators, the latest first',
  command: 'audit',
  roles: operatorRoles,
  input: z.object({
    actor: z.string().max(128).optional().meta({
      description: 'only changes by this application or user (its id) or operator (the name)',
      flags: '--actor <name>',
    }),
    subject: z.string().max(256).optional().meta({
      description: 'only changes of this: an id, an address or a reference',
      flags: '--subject <id>',
    }),
    action: z.string().max(64).optional().meta({
      description: 'only this action, such as address.link, or all whose first word this is, such as app',
      flags: '--action <name>',
    }),
    since: z
      .union([z.iso.date(), z.iso.datetime({ offset: true })])
      .optional()
      .meta({ description: 'only from this time on', flags: '--since <time>' }),
    after: z.uuid().describe('only those that follow this one').optional(),
  }),
  limit: { usual: 50, most: 10_000 },
  read: (ledger, { since, ...filter }) => listAudit(ledger, { ...filter, since: since === undefined ? undefined : new Date(since) }),
  keyOf: ({ id }) => id,
  columns: {
    time: ({ at }) => at,
    actor: ({ actorKind, actor, actorName }) => named(actorKind, actor, actorName),
    action: ({ action }) => action,
    subject: ({ subjectKind, subject, subjectName }) => named(subjectKind, subject, subjectName),
    detail: ({ detail }) => detailText(detail),
    'correlation id': ({ correlationId }) => correlationId,
  },
  empty: 'No changes.',
});

function named(kind: string, id: string, name: string | null): string {
  return [kind, id, ...(name === null ? [] : [`(${name})`])].join(' ').trim();
}

function detailText(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
