import { html } from 'hono/html';
import { readSection } from '../../../ledger/customers/profile-drafts.ts';
import type { ProfileView } from '../../../ledger/customers/profile-sections.ts';
import { corporateForm, personalForm } from '../../customers/profile-form-schema.ts';
import { type FormState, renderFields } from '../fields.ts';
import type { Html } from '../page.ts';
import { type PageRequest, renderForm, show } from '../page-request.ts';
import { formFieldsOf } from './form-fields.ts';
import { errorsOf, openReviewErrors } from './review-errors.ts';
import { renderPostpone, renderReview, reviewedFields, submitAndContinue } from './section-page.ts';
import { problemsOf, readValues, toData, toValues } from './section-values.ts';

const sections = {
  personal: { fields: formFieldsOf(personalForm), schema: personalForm, title: 'Your money' },
  corporate: { fields: formFieldsOf(corporateForm), schema: corporateForm, title: "The company's money" },
};

/** `GET .../form` (docs/api.md, Personal form). It can be changed until the profile is in review. */
export async function showForm(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  const { ledger } = pageRequest.deps;
  const { fields } = sections[profile.kind];
  const errors = errorsOf(await openReviewErrors(ledger, profile), 'form');
  const values = toValues(fields, await readSection(ledger, profile.id, 'form'));
  return formPage(pageRequest, profile, { values, problems: reviewedFields(fields, errors) }, renderReview(errors, fields));
}

/** `POST .../form`. */
export async function submitForm(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  const { fields, schema } = sections[profile.kind];
  const values = readValues(fields, pageRequest.form);
  const parsed = schema.safeParse(toData(fields, values));
  if (parsed.success) return submitAndContinue(pageRequest, profile.id, { section: 'form', data: parsed.data });
  return formPage(pageRequest, profile, { values, problems: problemsOf(fields, parsed.error) }, '', 400);
}

async function formPage(pageRequest: PageRequest, { kind }: ProfileView, formState: FormState, above: Html | '', status: 200 | 400 = 200) {
  const { fields, title } = sections[kind];
  const form = html`${renderFields(fields, formState)}<button>Continue</button>`;
  const body = html`${above} ${renderForm('form', pageRequest, form)} ${renderPostpone(pageRequest)}`;
  return show(pageRequest, { title, body, status });
}
