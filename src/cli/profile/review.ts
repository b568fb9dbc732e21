import type { Command } from 'commander';
import { approve, askForMore, reject } from '../../operations/customers/reviews.ts';
import type { Verb } from '../../operations/verb.ts';
import { carryOutVerb, type VerbOptions } from '../verbs/carry-out-verb.ts';

/** Why a part of what was submitted is not enough: a section, a verification, or a field of one. */
export interface FieldError {
  field: string;
  reason: string;
}

/** Options of `mintrail profile review`; exactly one decision is made. */
export interface ReviewOptions extends VerbOptions {
  approve?: true;
  reject?: string;
  incomplete?: FieldError[];
}

/** `mintrail profile review`: the verb of the option. Throws what it throws, and CommanderError without an option. */
export async function reviewProfile(profile: string, options: ReviewOptions, command: Command): Promise<void> {
  const { approve: isApproved, reject: reason, incomplete: errors } = options;
  const decision = isApproved
    ? { verb: approve, body: { profile } }
    : reason !== undefined
      ? { verb: reject, body: { profile, reason } }
      : errors && { verb: askForMore, body: { profile, errors } };
  if (!decision) return command.error('error: one of --approve, --reject and --incomplete is required', { exitCode: 2 });
  await carryOutVerb(decision.verb as unknown as Verb, decision.body, options, {
    text: ({ id, state }: { id: string; state: string }) => `The profile ${id} is ${state}.`,
  });
}
