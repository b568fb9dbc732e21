import { type Decision, decideProfile, type ReviewError } from '../../ledger/customers/profile-review.ts';
import { StopError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/uuid.ts';
import { operatorName } from '../operator.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail profile review`; exactly one decision is made. */
export interface ReviewOptions {
  approve?: true;
  reject?: string;
  incomplete?: [ReviewError, ...ReviewError[]];
  json?: true;
}

/** The decision that the options name; undefined when they name none. */
export function decisionOf({ approve, reject, incomplete }: ReviewOptions): Decision | undefined {
  if (approve) return { decision: 'approved' };
  if (reject !== undefined) return { decision: 'rejected', reason: reject };
  return incomplete && { decision: 'incomplete', errors: incomplete };
}

/** `mintrail profile review`. Throws `unknown_profile`, and what `decideProfile` throws. */
export async function reviewProfile(id: string, decision: Decision, json: boolean): Promise<void> {
  const by = `operator ${operatorName()}`;
  const decided = await withLedger((ledger) => decideProfile(ledger, requireProfileId(id), decision, { by }));
  print(json ? renderJson(decided) : `The profile ${decided.id} is ${decided.state}.`);
}

/** The id in small letters. Throws `unknown_profile` for a text that is not an id. */
export function requireProfileId(id: string): string {
  if (!isUuid(id)) throw unknownProfile(id);
  return id.toLowerCase();
}

/** The error `unknown_profile`. */
export function unknownProfile(id: string): StopError {
  return new StopError({ code: 'unknown_profile', message: `There is no profile ${id}; \`mintrail profile list\` lists them` });
}
