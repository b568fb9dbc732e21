import type { Caller } from '../access/permissions.ts';
import type { Ledger } from '../ledger.ts';

/** Which of these files the caller's application did not upload; one of another application is not told apart from none. */
export async function unknownFiles(ledger: Ledger, caller: Caller, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const own = await ledger
    .selectFrom('files')
    .where('id', 'in', [...new Set(ids)])
    .where('application', '=', caller.application)
    .select('id')
    .execute();
  const known = new Set(own.map(({ id }) => id));
  return new Set(ids.filter((id) => !known.has(id)));
}
