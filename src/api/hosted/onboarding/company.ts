import { html } from 'hono/html';
import { changeDraft, readDraft } from '../../../ledger/customers/profile-drafts.ts';
import type { ProfileView } from '../../../ledger/customers/profile-sections.ts';
import { companySubmission } from '../../customers/details-submission.ts';
import { type CompanyRole, companyRoles, corporateDetails } from '../../customers/profile-details-schema.ts';
import { type Values, renderFields } from '../fields.ts';
import type { Html } from '../page.ts';
import { type PageRequest, goTo, renderForm, show } from '../page-request.ts';
import { lastPage } from '../steps.ts';
import { type CompanyDraft, companyDraft, findPerson, personsWithout, withoutPerson, withPerson } from './company-draft.ts';
import { renderPersons } from './company-persons.ts';
import { companyFields } from './details-fields.ts';
import { renderKindSwitch, renderWhy } from './kind.ts';
import { errorsOf, openReviewErrors } from './review-errors.ts';
import { renderReview, reviewedFields, submitAndContinue } from './section-page.ts';
import { problemsOf, readValues, toData, toValues } from './section-values.ts';

/** `GET .../details` of a company (docs/api.md, Corporate details): the company, and its persons, each of whom has a page. */
export async function showCompany(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  const { ledger } = pageRequest.deps;
  const errors = errorsOf(await openReviewErrors(ledger, profile), 'details');
  const draft = companyDraft(await readDraft(ledger, profile.id));
  const page = { draft, values: toValues(companyFields, draft), problems: reviewedFields(companyFields, errors) };
  return companyPage(pageRequest, profile, { ...page, above: renderReview(errors, companyFields) });
}

/**
 * `POST .../details` of a company. Every button keeps what was entered: those of the persons lead to a person's page or take one out, and
 * only `submit` submits the details.
 */
export async function submitCompany(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  const { deps, form } = pageRequest;
  const values = readValues(companyFields, form);
  const { action, role, id } = readAction(form.get('action'));
  let draft = companyDraft({});
  await changeDraft(deps.ledger, profile.id, (current) => {
    draft = changePersons(withCompany(companyDraft(current), values), { action, role, id });
    return draft;
  });
  if (action === 'later') return goTo(lastPage(pageRequest), pageRequest);
  if (role === undefined) return submitWhole(pageRequest, profile, { draft, values });
  if (action === 'add') return goTo('person', pageRequest, { role });
  if (action === 'edit' || action === 'copy') return goTo('person', pageRequest, { role, id });
  return goTo('details', pageRequest);
}

interface Action {
  action: string;
  role: CompanyRole | undefined;
  id: string;
}

/** The pressed button, such as `remove directors 018f…`. The Enter key presses the first one, which submits. */
function readAction(text: string | null): Action {
  const [action = '', named, id = ''] = (text ?? '').split(' ');
  return { action, role: companyRoles.find((role) => role === named), id };
}

function withCompany(draft: CompanyDraft, values: Values): CompanyDraft {
  const { representatives, finalBeneficiaries, directors } = draft;
  return { ...toData(companyFields, values), representatives, finalBeneficiaries, directors };
}

function changePersons(draft: CompanyDraft, { action, role, id }: Action): CompanyDraft {
  if (role === undefined) return draft;
  if (action === 'remove') return withoutPerson(draft, role, id);
  const person = action === 'copy' ? personsWithout(draft, role).find((other) => other.id === id) : undefined;
  return person === undefined || findPerson(draft, role, id) !== undefined ? draft : withPerson(draft, role, person);
}

async function submitWhole(pageRequest: PageRequest, profile: ProfileView, { draft, values }: Omit<CompanyPage, 'problems'>) {
  const parsed = corporateDetails.safeParse(draft);
  if (parsed.success) return submitAndContinue(pageRequest, profile.id, companySubmission(profile.id, parsed.data));
  return companyPage(pageRequest, profile, { draft, values, problems: problemsOf(companyFields, parsed.error), status: 400 });
}

interface CompanyPage {
  draft: CompanyDraft;
  values: Values;
  problems: Record<string, string>;
  above?: Html;
  status?: 400;
}

async function companyPage(pageRequest: PageRequest, profile: ProfileView, { draft, values, problems, above, status }: CompanyPage) {
  const form = html`<button name="action" value="submit" class="default" tabindex="-1" aria-hidden="true">Continue</button>
    ${renderFields(companyFields, { values, problems })} ${renderPersons(draft, problems)}
    <button name="action" value="submit">Continue</button>
    <button name="action" value="later" class="secondary">Keep this and continue later</button>`;
  const body = html`${renderWhy(pageRequest)} ${renderKindSwitch(pageRequest, profile)} ${above ?? ''}
  ${renderForm('details', pageRequest, form)}`;
  return show(pageRequest, { title: 'About the company', body, status: status ?? 200 });
}
