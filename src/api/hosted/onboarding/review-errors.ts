import type { Ledger } from '../../../ledger/ledger.ts';
import { findLastReview } from '../../../ledger/customers/last-review.ts';
import type { ReviewError } from '../../../ledger/customers/profile-review.ts';
import type { ProfileView } from '../../../ledger/customers/profile-sections.ts';
import type { SectionState } from '../../../schema/states.ts';

/**
 * What the last review wants to be submitted again and was not submitted since. `field` is a section or a verification kind, perhaps followed
 * by a field or a person in it.
 */
export async function openReviewErrors(ledger: Ledger, profile: ProfileView): Promise<ReviewError[]> {
  const review = await findLastReview(ledger, profile.id);
  if (review?.decision !== 'incomplete') return [];
  return review.errors
    .map(({ field, reason }) => ({ field: field.replace(/^verifications\./, ''), reason }))
    .filter(({ field }) => stateOf(profile, field) === 'incomplete');
}

/** The errors of a section or verification. For one about a person, those that name no person count, too. */
export function errorsOf(errors: readonly ReviewError[], section: string, person?: string): ReviewError[] {
  return errors.filter(({ field }) => {
    const [name, detail] = field.split('.');
    return name === section && (person === undefined || detail === undefined || detail === person);
  });
}

function stateOf({ details, form, verifications }: ProfileView, field: string): SectionState | undefined {
  const [name, person] = field.split('.');
  if (name === 'details') return details.state;
  if (name === 'form') return form.state;
  const named = verifications.filter(({ kind, personId }) => kind === name && (person === undefined || personId === person));
  return named.some(({ state }) => state === 'incomplete') ? 'incomplete' : named[0]?.state;
}
