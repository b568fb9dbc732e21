import { z } from 'zod';
import { countReviews, decideProfile, type Decision } from '../../ledger/customers/profile-review.ts';
import { findProfile } from '../../ledger/customers/profile-sections.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import { type VerbContext, defineVerb } from '../verb.ts';

const roles = ['reviewer', 'administrator'] as const;
const topics = ['customers', 'status'] as const;
const reason = z.string().trim().min(1).max(500);
/** The profile, and its reviews as the operator saw them: after another one, other documents may have been submitted. */
const shown = z.strictObject({ profile: z.uuid(), reviews: z.int().min(0) });
const shownFields = {
  shown: ['reviews'] as const,
  readShown: async ({ ledger }: VerbContext, { profile = '' }: { profile?: string }) => ({ reviews: await countReviews(ledger, profile) }),
};

/** Why a part of what was submitted is not enough: `details`, `form` or a verification, perhaps followed by a field of it. */
const fieldError = z.strictObject({
  field: z
    .string()
    .regex(/^[A-Za-z]+(\.[A-Za-z0-9-]+)*$/)
    .max(200),
  reason,
});

/** Approves a profile in review. */
export const approve = defineVerb({
  name: 'customers.approve',
  summary: 'approve a profile that is in review',
  command: 'profile review <profile> --approve',
  ...shownFields,
  input: shown,
  roles,
  needsSecondPerson: false,
  describe: async ({ ledger }, input) =>
    `Approve ${await describeProfile(ledger, input.profile)}: it may receive an IBAN, place orders and receive bank credits.`,
  carryOut: async (context, input) => decide(context, input, { decision: 'approved' }),
  topics,
});

/** Rejects a profile in review for good. The customer reads the reasons. */
export const reject = defineVerb({
  name: 'customers.reject',
  summary: 'reject a profile that is in review for good',
  command: 'profile review <profile> --reject <reason>',
  ...shownFields,
  input: shown.extend({ reason, errors: z.array(fieldError).max(50).default([]) }),
  roles,
  needsSecondPerson: false,
  describe: async ({ ledger }, input) =>
    `Reject ${await describeProfile(ledger, input.profile)} for good: nothing more can be submitted. The customer reads: ${reasonText(input)}`,
  carryOut: async (context, input) => decide(context, input, { decision: 'rejected', reason: reasonText(input) }),
  topics,
});

/** Sends a profile back: what the errors name must be submitted again. */
export const askForMore = defineVerb({
  name: 'customers.ask-for-more',
  summary: 'send a profile that is in review back, for the customer to submit parts of it again',
  command: 'profile review <profile> --incomplete <field=reason...>',
  ...shownFields,
  input: shown.extend({ errors: z.array(fieldError).min(1).max(50) }),
  roles,
  needsSecondPerson: false,
  describe: async ({ ledger }, input) =>
    `Send ${await describeProfile(ledger, input.profile)} back. The customer must submit again: ${errorTexts(input.errors).join('; ')}`,
  async carryOut(context, input) {
    const [first, ...others] = input.errors;
    if (first === undefined) throw new Error('an input without errors was accepted');
    return decide(context, input, { decision: 'incomplete', errors: [first, ...others] });
  },
  topics,
});

async function decide({ ledger, operator, correlationId }: VerbContext, { profile, reviews }: z.output<typeof shown>, decision: Decision) {
  const decided = await decideProfile(ledger, profile, decision, {
    by: `operator ${operator.name}`,
    correlationId: correlationId ?? null,
    earlierReviews: reviews,
  });
  return { ...decided };
}

/** Throws `not_found` and `profile_not_in_review`. */
async function describeProfile(ledger: Ledger, id: string): Promise<string> {
  const profile = await findProfile(ledger, id);
  if (profile === undefined)
    throw new StopError({ code: 'not_found', message: `There is no profile ${id}: \`mintrail profile list\` lists them` });
  const { name, kind, state } = profile;
  if (state === 'pending') return `the ${kind} profile ${id} of ${name}`;
  throw new StopError({ code: 'profile_not_in_review', message: `Only a profile in review can be decided: the profile ${id} is ${state}` });
}

interface FieldError {
  field: string;
  reason: string;
}

function reasonText({ reason: whole, errors }: { reason: string; errors: readonly FieldError[] }): string {
  return [whole, ...errorTexts(errors)].join('; ');
}

function errorTexts(errors: readonly FieldError[]): string[] {
  return errors.map((error) => `${error.field}: ${error.reason}`);
}
