import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { keepApplication } from './applications/find-application.ts';
import type { Caller } from './permissions.ts';

/**
 * Runs `work` in a transaction during which the token of a caller does not end: whoever ends it waits, and then finds what `work` added. For all that gives access
 * beyond the token's own end, since a copy of the API trusts a token for seconds, and a body may be long in coming. Throws `not_authenticated`, and runs
 * nothing, when the token has ended.
 */
export async function withValidToken<T>(ledger: Ledger, caller: Caller, work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
  return inTransaction(ledger, async (tx) => {
    // Application, user, token: in the order in which they are locked by whoever ends a token.
    await keepApplication(tx, caller.application);
    await tx.selectFrom('users').where('id', '=', caller.user).select('id').forShare().execute();
    const token = await tx
      .selectFrom('accessTokens as t')
      .innerJoin('grants as g', 'g.id', 't.grantId')
      .where('t.hash', '=', caller.token)
      .where('t.expiresAt', '>', sql<Date>`now()`)
      .where('g.endedAt', 'is', null)
      .select('t.hash')
      .forShare(['t', 'g'])
      .executeTakeFirst();
    if (!token) throw new StopError({ code: 'not_authenticated', message: 'Not authenticated' });
    return work(tx);
  });
}
