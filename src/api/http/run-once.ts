import { hasAuditEntry } from '../../ledger/access/audit-log.ts';
import { StopError } from '../../platform/errors.ts';
import type { ApiDependencies, ApiEnv } from '../api.ts';

/** An operation that succeeds only once. */
export interface OnceOperation<Result> {
  /** How the audit log names it, such as `profile.create`. */
  action: string;
  /** Id of what it changes. */
  subject: string;
  /** What the audit entry's detail must contain. */
  detail?: Record<string, string>;
  run: () => Promise<Result>;
  /** Reads the result of an attempt that already succeeded. */
  readResult: () => Promise<Result>;
}

/**
 * Runs a once-only operation. If an interrupted attempt under the same idempotency key already succeeded, returns its result instead of
 * the error.
 */
export async function runOnce<Result>(
  { ledger }: Pick<ApiDependencies, 'ledger'>,
  { claim, caller }: ApiEnv['Variables'],
  { run, readResult, ...operation }: OnceOperation<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof StopError) || claim === undefined || !claim.isRepeated) throw error;
    const actor = caller.authorization === undefined ? caller.application : caller.user;
    if (await hasAuditEntry(ledger, { ...operation, actor, since: claim.since })) return readResult();
    throw error;
  }
}
