import { sql } from 'kysely';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { lockSubject, type Subject, subjectColumn, subjectOf, subjectValues } from '../subject.ts';

/** Passkeys of a user or an operator at most (docs/api.md, Second factors). */
export const maxPasskeys = 10;

/** A WebAuthn credential to be kept. */
export interface NewPasskey {
  subject: Subject;
  /** base64url. */
  credentialId: string;
  /** COSE key (RFC 9052). */
  publicKey: Uint8Array;
  /** The authenticator's count of signatures; 0 when it does not count. */
  counter: number;
  transports: string[];
  /** Whether it may exist on several devices. */
  isSynchronised: boolean;
  /** What its owner calls it. */
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

/** Somebody's passkeys, the oldest first; at most {@link maxPasskeys}. */
export async function listPasskeys(ledger: Ledger, subject: Subject): Promise<Passkey[]> {
  return ledger
    .selectFrom('passkeys')
    .where(subjectColumn(subject), '=', subject.id)
    .orderBy('createdAt')
    .orderBy('id')
    .select(['id', 'credentialId', 'transports', 'isSynchronised', 'name', 'createdAt', 'lastUsedAt'])
    .execute();
}

/** Adds a passkey. Returns why not: they have too many, or the credential is registered already. */
export async function addPasskey(ledger: Ledger, passkey: NewPasskey): Promise<'added' | 'too_many' | 'known'> {
  return inTransaction(ledger, async (tx) => {
    // Two at once would both count nine.
    await lockSubject(tx, passkey.subject);
    if ((await listPasskeys(tx, passkey.subject)).length >= maxPasskeys) return 'too_many';
    const { subject, publicKey, counter, ...values } = passkey;
    const added = await tx
      .insertInto('passkeys')
      .values({ ...values, ...subjectValues(subject), publicKey: Buffer.from(publicKey), counter: BigInt(counter) })
      .onConflict((conflict) => conflict.column('credentialId').doNothing())
      .returning('id')
      .executeTakeFirst();
    return added ? 'added' : 'known';
  });
}

/** Removes a passkey of somebody. Returns whether they had it. */
export async function removePasskey(ledger: Ledger, subject: Subject, id: string): Promise<boolean> {
  const { numDeletedRows } = await ledger
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where(subjectColumn(subject), '=', subject.id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** What a signature of a passkey is checked with; `undefined` for an unknown credential. */
export async function findPasskey(
  ledger: Ledger,
  credentialId: string,
): Promise<{ id: string; subject: Subject; publicKey: Buffer } | undefined> {
  const passkey = await ledger
    .selectFrom('passkeys')
    .where('credentialId', '=', credentialId)
    .select(['id', 'userId', 'operator', 'publicKey'])
    .executeTakeFirst();
  const subject = passkey && subjectOf(passkey);
  return passkey && subject && { id: passkey.id, subject, publicKey: passkey.publicKey };
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
