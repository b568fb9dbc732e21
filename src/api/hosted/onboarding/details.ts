import { html } from 'hono/html';
import { type Country, listCountries } from '../../../ledger/customers/countries.ts';
import { submitSection } from '../../../ledger/customers/profile-submissions.ts';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { personalDetails } from '../../customers/profile-details-schema.ts';
import { readForm } from '../read-form.ts';
import { type Field, type FormState, renderFields } from '../fields.ts';
import { lacksDetails, nextPage } from '../steps.ts';
import { type PageRequest, goTo, renderForm, show } from '../page-request.ts';

const fields: readonly Field[] = [
  { name: 'firstName', label: 'First name', autocomplete: 'given-name', hint: 'As in your passport or identity card.' },
  { name: 'lastName', label: 'Last name', autocomplete: 'family-name' },
  { name: 'birthday', label: 'Date of birth', type: 'date', autocomplete: 'bday' },
  { name: 'nationality', label: 'Nationality', autocomplete: 'off', options: choices('nationality') },
  { name: 'address', label: 'Street and number', autocomplete: 'street-address' },
  { name: 'postalCode', label: 'Postal code', autocomplete: 'postal-code' },
  { name: 'city', label: 'City', autocomplete: 'address-level2' },
  { name: 'country', label: 'Country', autocomplete: 'country', options: choices('residency') },
];

/** The countries from which customers are served. */
function choices(as: 'nationality' | 'residency'): [string, string][] {
  const isServed = (country: Country) => country[as] !== 'restricted' && country[as] !== 'prohibited';
  return listCountries()
    .filter(isServed)
    .map(({ code, name }): [string, string] => [code, name])
    .toSorted(([, first], [, second]) => first.localeCompare(second, 'en'));
}

/** `GET .../details` (docs/api.md, Personal details). */
export async function showDetails(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  if (user.defaultProfile === null || !(await lacksDetails(pageRequest.deps.ledger, user.defaultProfile)))
    return goToNext(pageRequest, user);
  return detailsPage(pageRequest, { values: {}, problems: {} });
}

/** `POST .../details`. */
export async function submitDetails(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { ledger } = pageRequest.deps;
  if (user.defaultProfile === null || !(await lacksDetails(ledger, user.defaultProfile))) return goToNext(pageRequest, user);
  const read = readForm(personalDetails.pick(requiredFields), pageRequest.form);
  if ('problems' in read) return detailsPage(pageRequest, read, 400);
  const { data } = read;
  const submission = { section: 'details' as const, data, name: `${data.firstName} ${data.lastName}` };
  await submitSection(ledger, user.defaultProfile, submission, pageRequest.context.var.correlationId);
  return goToNext(pageRequest, user);
}

const requiredFields = {
  firstName: true,
  lastName: true,
  birthday: true,
  nationality: true,
  address: true,
  postalCode: true,
  city: true,
  country: true,
} as const;

async function goToNext(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  return goTo(await nextPage(pageRequest, user.id), pageRequest);
}

function detailsPage(pageRequest: PageRequest, formState: FormState, status: 200 | 400 = 200): Response | Promise<Response> {
  const form = html`${renderFields(fields, formState)}<button>Continue</button>`;
  const client = pageRequest.request?.client.name;
  const body = html`<p>
      The law requires us to know our customers.
      ${client === undefined ? '' : `${client} learns your name and the state of your verification.`}
    </p>
    ${renderForm('details', pageRequest, form)}`;
  return show(pageRequest, { title: 'About you', body, status });
}
