import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Permission } from '../../../schema/column-types.ts';
import type { Ledger } from '../../ledger.ts';
import { type ApplicationKind, isConfidential } from './application-kinds.ts';
import { createSecret } from './secrets.ts';

/** An application to be registered. */
export interface NewApplication {
  kind: ApplicationKind;
  name: string;
  /** The user who registered it. */
  owner: string;
  /** Where an authorization-code application may send its users back to, exactly. */
  redirectUris?: string[];
  privacyPolicyUrl?: string | null;
  termsUrl?: string | null;
  /** What it may do: without it an authorization-code application may read, the other kinds may also write. */
  permissions?: Permission[];
  /** Whether an authorization-code application proves itself by its secret ({@link isConfidential}). */
  isConfidential?: boolean;
  /** Whether a confidential application proves itself for a refresh too (docs/api.md, Token endpoint). */
  refreshNeedsSecret?: boolean;
  /** Whose pages may read the answers to its requests (docs/api.md, Browsers). */
  origins?: string[];
  /** False in production, where credentials wait for an approval (docs/api.md, Applications). */
  approved?: boolean;
}

/** Registers an application (docs/api.md, Applications). The secret is returned this once and cannot be read again; it is empty for a public one, which has none. */
export async function createApplication(ledger: Ledger, application: NewApplication): Promise<{ id: string; secret: string }> {
  const id = randomUUID();
  const { kind, name, owner, approved = true } = application;
  const hasSecret = isConfidential({ kind, isConfidential: application.isConfidential ?? false });
  const { secret, hash } = hasSecret ? createSecret() : { secret: '', hash: null };
  await ledger
    .insertInto('applications')
    .values({
      id,
      kind,
      name,
      owner,
      secretHash: hash,
      disabledAt: null,
      redirectUris: application.redirectUris ?? [],
      privacyPolicyUrl: application.privacyPolicyUrl ?? null,
      termsUrl: application.termsUrl ?? null,
      permissions: application.permissions ?? (kind === 'authorization_code' ? ['read'] : ['read', 'write']),
      isConfidential: hasSecret,
      refreshNeedsSecret: application.refreshNeedsSecret ?? false,
      origins: application.origins ?? [],
      approvedAt: approved ? sql`now()` : null,
    })
    .execute();
  return { id, secret };
}
