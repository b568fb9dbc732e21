import { hasActed } from '../../ledger/access/audit-log.ts';
import { StopError } from '../../platform/errors.ts';
import type { ApiDependencies, ApiEnv } from '../api.ts';

/** What a request does, as the audit log has it. */
export interface Deed {
  /** Such as `profile.create`. */
  action: string;
  subject: string;
  /** What must be in the entry's detail. */
  detail?: Record<string, string>;
}

/**
 * Carries out what can be done only once. When it is refused although an earlier run of the same request, under the same idempotency
 * key, has done it and was broken off before its answer was kept, that is told instead of the refusal.
 */
export async function actOrTell<T>(
  { ledger }: Pick<ApiDependencies, 'ledger'>,
  { claim, caller }: ApiEnv['Variables'],
  deed: Deed,
  { act, tell }: { act: () => Promise<T>; tell: () => Promise<T> },
): Promise<T> {
  try {
    return await act();
  } catch (refusal) {
    if (!(refusal instanceof StopError) || claim === undefined || !claim.isRepeated) throw refusal;
    const actor = caller.authorization === undefined ? caller.application : caller.user;
    if (await hasActed(ledger, { ...deed, actor, since: claim.since })) return tell();
    throw refusal;
  }
}
