import { html } from 'hono/html';
import { readSection } from '../../../ledger/customers/profile-drafts.ts';
import type { ProfileView } from '../../../ledger/customers/profile-sections.ts';
import { personSubmission } from '../../customers/details-submission.ts';
import { personalDetails } from '../../customers/profile-details-schema.ts';
import { type FormState, renderFields } from '../fields.ts';
import { type PageRequest, renderForm, show } from '../page-request.ts';
import { showCompany, submitCompany } from './company.ts';
import { personFields } from './details-fields.ts';
import { renderKindSwitch, renderWhy } from './kind.ts';
import { errorsOf, openReviewErrors } from './review-errors.ts';
import { renderPostpone, renderReview, reviewedFields, submitAndContinue } from './section-page.ts';
import { problemsOf, readValues, toData, toValues } from './section-values.ts';

/** `GET .../details` (docs/api.md, Personal details). They can be changed until the profile is in review. */
export async function showDetails(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  if (profile.kind === 'corporate') return showCompany(pageRequest, profile);
  const { ledger } = pageRequest.deps;
  const errors = errorsOf(await openReviewErrors(ledger, profile), 'details');
  const values = toValues(personFields, await readSection(ledger, profile.id, 'details'));
  const page = { formState: { values, problems: reviewedFields(personFields, errors) }, above: renderReview(errors, personFields) };
  return detailsPage(pageRequest, profile, page);
}

/** `POST .../details`. */
export async function submitDetails(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  if (profile.kind === 'corporate') return submitCompany(pageRequest, profile);
  const values = readValues(personFields, pageRequest.form);
  const parsed = personalDetails.safeParse(toData(personFields, values));
  if (parsed.success) return submitAndContinue(pageRequest, profile.id, personSubmission(parsed.data));
  return detailsPage(pageRequest, profile, { formState: { values, problems: problemsOf(personFields, parsed.error) }, status: 400 });
}

interface DetailsPage {
  formState: FormState;
  above?: ReturnType<typeof renderReview>;
  status?: 400;
}

async function detailsPage(pageRequest: PageRequest, profile: ProfileView, { formState, above, status }: DetailsPage): Promise<Response> {
  const form = html`${renderFields(personFields, formState)}<button>Continue</button>`;
  const body = html`${renderWhy(pageRequest)} ${renderKindSwitch(pageRequest, profile)} ${above ?? ''}
  ${renderForm('details', pageRequest, form)} ${renderPostpone(pageRequest)}`;
  return show(pageRequest, { title: 'About you', body, status: status ?? 200 });
}
