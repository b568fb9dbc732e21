import { html } from 'hono/html';
import { changeDraft, readDraft } from '../../../ledger/customers/profile-drafts.ts';
import type { ProfileView } from '../../../ledger/customers/profile-sections.ts';
import { type CompanyRole, companyPersons, companyRoles } from '../../customers/profile-details-schema.ts';
import { type FormState, renderFields } from '../fields.ts';
import { type PageRequest, goTo, pageParameter, pageUrl, renderForm, show } from '../page-request.ts';
import { companyDraft, findPerson, withPerson } from './company-draft.ts';
import { roleTexts } from './company-persons.ts';
import { companyPersonFields } from './details-fields.ts';
import { problemsOf, readValues, toData, toValues } from './section-values.ts';

/** `GET .../person`: a person of a company in a role, new or to be changed. */
export async function showPerson(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  const role = roleOf(pageRequest);
  if (profile.kind !== 'corporate' || role === undefined) return goTo('details', pageRequest);
  const person = findPerson(companyDraft(await readDraft(pageRequest.deps.ledger, profile.id)), role, pageParameter(pageRequest, 'id'));
  return personPage(pageRequest, role, { values: toValues(companyPersonFields[role], person ?? {}), problems: {} });
}

/** `POST .../person`: keeps a person in the draft of the details, which are submitted as a whole. */
export async function submitPerson(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  const role = roleOf(pageRequest);
  if (profile.kind !== 'corporate' || role === undefined) return goTo('details', pageRequest);
  const fields = companyPersonFields[role];
  const values = readValues(fields, pageRequest.form);
  const data = toData(fields, values);
  const parsed = companyPersons[role].safeParse(data);
  if (!parsed.success) return personPage(pageRequest, role, { values, problems: problemsOf(fields, parsed.error) }, 400);
  const id = pageParameter(pageRequest, 'id');
  await changeDraft(pageRequest.deps.ledger, profile.id, (current) => withPerson(companyDraft(current), role, data, id));
  return goTo('details', pageRequest);
}

function roleOf(pageRequest: PageRequest): CompanyRole | undefined {
  const named = pageParameter(pageRequest, 'role');
  return companyRoles.find((role) => role === named);
}

async function personPage(pageRequest: PageRequest, role: CompanyRole, formState: FormState, status: 200 | 400 = 200): Promise<Response> {
  const { singular, hint } = roleTexts[role];
  const parameters = { role, id: pageParameter(pageRequest, 'id') };
  const form = html`${renderFields(companyPersonFields[role], formState)}<button>Save</button>`;
  const body = html`<p>${hint}</p>
    ${renderForm('person', pageRequest, form, { parameters })}
    <p><a class="button secondary" href="${pageUrl('details', pageRequest)}">Back without saving</a></p>`;
  return show(pageRequest, { title: `A ${singular}`, body, status });
}
