import type { Default, Json, Time } from './columns.ts';

/** Tables of requests to the API, and of the audit log. */
export interface RequestTables {
  idempotencyKeys: {
    id: Buffer;
    fingerprint: Buffer;
    makes: Default<string>;
    claimedUntil: Time;
    status: number | null;
    contentType: string | null;
    body: string | null;
    createdAt: Time;
  };
  rateLimits: { key: string; points: number; expire: number | null };
  auditLog: {
    id: Default<string>;
    at: Time;
    actorKind: 'application' | 'user' | 'operator' | 'system';
    actor: string;
    action: string;
    subjectKind: string;
    subject: string;
    correlationId: string | null;
    detail: Json<Record<string, unknown>>;
  };
}
