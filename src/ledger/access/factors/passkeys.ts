import { sql } from 'kysely';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { lockUser } from '../users.ts';

/** Passkeys of a user at most (docs/api.md, Second factors). */
export const maxPasskeys = 10;

/** A WebAuthn credential to be kept. */
export interface NewPasskey {
  user: string;
  /** base64url. */
  credentialId: string;
  /** COSE key (RFC 9052). */
  publicKey: Uint8Array;
  /** The authenticator's count of signatures; 0 when it does not count. */
  counter: number;
  transports: string[];
  /** Whether it may exist on several devices. */
  isSynchronised: boolean;
  /** What the user calls it. */
  name: string;
}

/** A passkey as its owner sees it. */
export interface Passkey {
  id: string;
  credentialId: string;
  transports: string[];
  isSynchronised: boolean;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** The passkeys of a user, the oldest first; at most {@link maxPasskeys}. */
export async function listPasskeys(ledger: Ledger, user: string): Promise<Passkey[]> {
  return ledger
    .selectFrom('passkeys')
    .where('userId', '=', user)
    .orderBy('createdAt')
    .orderBy('id')
    .select(['id', 'credentialId', 'transports', 'isSynchronised', 'name', 'createdAt', 'lastUsedAt'])
    .execute();
}

/** Adds a passkey. Returns why not: the user has too many, or the credential is registered already. */
export async function addPasskey(ledger: Ledger, passkey: NewPasskey): Promise<'added' | 'too_many' | 'known'> {
  return inTransaction(ledger, async (tx) => {
    // Two at once would both count nine.
    await lockUser(tx, passkey.user);
    if ((await listPasskeys(tx, passkey.user)).length >= maxPasskeys) return 'too_many';
    const { user, publicKey, counter, ...values } = passkey;
    const added = await tx
      .insertInto('passkeys')
      .values({ ...values, userId: user, publicKey: Buffer.from(publicKey), counter: BigInt(counter) })
      .onConflict((conflict) => conflict.column('credentialId').doNothing())
      .returning('id')
      .executeTakeFirst();
    return added ? 'added' : 'known';
  });
}

/** Removes a passkey of a user. Returns whether the user had it. */
export async function removePasskey(ledger: Ledger, user: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await ledger.deleteFrom('passkeys').where('id', '=', id).where('userId', '=', user).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** What a signature of a passkey is checked with; `undefined` for an unknown credential. */
export async function findPasskey(
  ledger: Ledger,
  credentialId: string,
): Promise<{ id: string; user: string; email: string; publicKey: Buffer } | undefined> {
  return ledger
    .selectFrom('passkeys as p')
    .innerJoin('users as u', 'u.id', 'p.userId')
    .where('p.credentialId', '=', credentialId)
    .select(['p.id', 'u.id as user', 'u.email', 'p.publicKey'])
    .executeTakeFirst();
}

/**
 * Records a signature whose every other part is valid. Returns whether it counts: a counter that is not above the last is that of a copy
 * perhaps, which is recorded and refused (WebAuthn, section 6.1.1). An authenticator that does not count sends 0 each time.
 */
export async function usePasskey(ledger: Ledger, id: string, counter: number): Promise<boolean> {
  const used = await ledger
    .updateTable('passkeys')
    .set({ counter: BigInt(counter), lastUsedAt: sql`now()` })
    .where('id', '=', id)
    .where((where) =>
      where.or([where('counter', '<', BigInt(counter)), where.and([where('counter', '=', 0n), where(sql.val(counter), '=', 0)])]),
    )
    .executeTakeFirst();
  if (used.numUpdatedRows > 0n) return true;
  await ledger
    .updateTable('passkeys')
    .set({ counterRegressedAt: sql`now()` })
    .where('id', '=', id)
    .execute();
  return false;
}
