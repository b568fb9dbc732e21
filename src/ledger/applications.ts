import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Ledger } from './ledger.ts';
import type { LedgerTables } from './tables.ts';

export type ApplicationKind = LedgerTables['applications']['kind'];

export interface NewApplication {
  kind: ApplicationKind;
  name: string;
  /** The user who registered it. */
  owner: string;
}

export interface Application {
  id: string;
  kind: ApplicationKind;
  owner: string;
}

/** 256 bits: a secret that cannot be guessed needs no slow hash. */
const secretBytes = 32;

/** A new secret or token, and the only form in which it is kept. */
export function createSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(secretBytes).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

/** SHA-256 of a secret or token. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Registers an application (specification, Authentication 8). The secret is returned this once and cannot be read again. */
export async function createApplication(ledger: Ledger, { kind, name, owner }: NewApplication): Promise<{ id: string; secret: string }> {
  const id = randomUUID();
  const { secret, hash } = createSecret();
  await ledger.insertInto('applications').values({ id, kind, name, owner, secret_hash: hash, disabled_at: null }).execute();
  return { id, secret };
}

/** The application that proves itself by its secret; `undefined` for a wrong secret, an unknown or a disabled application alike. */
export async function authenticateApplication(ledger: Ledger, id: string, secret: string): Promise<Application | undefined> {
  const application = await ledger
    .selectFrom('applications')
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .select(['id', 'kind', 'owner', 'secret_hash'])
    .executeTakeFirst();
  const given = hashSecret(secret);
  // Compared with something even when there is nothing, so that time does not tell an unknown id from a wrong secret.
  const matches = timingSafeEqual(given, application?.secret_hash ?? hashSecret(id));
  return matches && application?.secret_hash ? { id: application.id, kind: application.kind, owner: application.owner } : undefined;
}
