import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { accessTokenSeconds, distrustGrantsOf, endGrants } from '../grants.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { disabled, lockApplication } from './find-application.ts';
import { createSecret } from './secrets.ts';

/** How a new secret ends the old one. */
export interface Rotation {
  /** The old secret and the tokens that the application got by it end now, and not after a day. */
  atOnce?: boolean | undefined;
  /** Since when somebody else may have had the old secret: it ends at once, so do the tokens that users granted, and what was linked through grants that were made or refreshed since then signs nobody in. */
  stolenSince?: Date | undefined;
}

/** A new secret of an application, which is returned this once. */
export interface Rotated {
  id: string;
  secret: string;
  /** Until when the secret before the old one would have stayed valid; it has ended now. Null where it had ended, RFC 3339. */
  endedEarlySecretUntil: string | null;
}

/**
 * Gives an application a new secret, returned this once. The old secret stays valid for a day, unless it is to end at once. Throws `not_found`, and as {@link requireRotatable}.
 */
export async function rotateSecret(ledger: Ledger, id: string, rotation: Rotation = {}): Promise<Rotated> {
  const { stolenSince } = rotation;
  const atOnce = endsAtOnce(rotation);
  const { secret, hash } = createSecret();
  const ended = await inTransaction(ledger, async (tx) => {
    const application = await lockApplication(tx, id);
    requireRotatable(application, stolenSince);
    const { previousSecretUntil: previousUntil } = application;
    await tx
      .updateTable('applications')
      .set({
        secretHash: hash,
        secretSetAt: sql`now()`,
        secretStolenSince: stolenSince ?? null,
        previousSecretHash: atOnce ? null : sql`secret_hash`,
        previousSecretUntil: atOnce ? null : sql<Date>`now() + interval '24 hours'`,
      })
      .where('id', '=', id)
      .execute();
    const isBeforeEnd = previousUntil !== null && previousUntil.getTime() > Date.now();
    const earlier = isBeforeEnd ? previousUntil.toISOString() : null;
    if (!atOnce) return earlier;
    // Whoever has the old secret may have used it to get tokens. Those that users granted stay where it was not stolen, because the users proved who
    // they are without the secret.
    // A token that was taken with the secret may have been made before the theft.
    if (stolenSince !== undefined) {
      const validThen = sql`${stolenSince}::timestamptz - make_interval(secs => ${accessTokenSeconds})`;
      await distrustGrantsOf(tx, id, sql`coalesce(g.refreshed_at, g.made_at) >= ${validThen}`);
    }
    await endGrants(tx, sql`g.application = ${id} and ${stolenSince === undefined ? sql`g.auth_method is null` : sql`true`}`);
    return earlier;
  });
  return { id, secret, endedEarlySecretUntil: ended };
}

/** Whether a rotation ends the old secret now: always where it was stolen. */
export function endsAtOnce({ atOnce = false, stolenSince }: { atOnce?: boolean | undefined; stolenSince?: unknown }): boolean {
  return atOnce || stolenSince !== undefined;
}

/** Throws `bad_input` for a public application, which never proves itself by a secret, and for a theft that is to come, and `not_possible` for a disabled one. */
export function requireRotatable(
  { id, isConfidential, disabledAt }: { id: string; isConfidential: boolean; disabledAt: Date | null },
  stolenSince: Date | undefined,
): void {
  if (!isConfidential)
    throw new StopError({
      code: 'bad_input',
      message: `The application ${id} is public: it proves itself by PKCE and never by a secret, so there is none to rotate. \`mintrail app disable\` ends its tokens`,
    });
  if (disabledAt !== null) throw disabled(id);
  if (stolenSince !== undefined && stolenSince.getTime() > Date.now())
    throw new StopError({
      code: 'bad_input',
      message: `The secret cannot have been stolen at ${stolenSince.toISOString()}, which is to come`,
    });
}

/** The client secrets by which active applications prove themselves, and that were made before a time: how many, and the application with the oldest. Undefined without any. */
export async function oldClientSecrets(ledger: Ledger, before: Date): Promise<{ count: number; id: string; name: string } | undefined> {
  const { rows } = await sql<{ count: number; id: string; name: string }>`
    select count(*) over ()::int as count, id, name from applications
    where disabled_at is null and is_confidential and secret_set_at < ${before} order by secret_set_at, id limit 1
  `.execute(ledger);
  return rows[0];
}
