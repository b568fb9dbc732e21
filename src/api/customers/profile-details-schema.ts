import { z } from '@hono/zod-openapi';
import { documentLabels } from '../../ledger/customers/form-value-labels.ts';
import { documentKinds } from '../../ledger/customers/kyc-enumerations.ts';
import { formWords } from '../../wire/form-words.ts';
import { countrySchema } from './country-schema.ts';
import * as input from '../../wire/input-fields.ts';

/** Years of age from which a person may have an account (docs/api.md, Personal details). */
const fullAge = 18;

/** Nobody alive was born earlier: an earlier date is a typing error. */
const earliestBirthday = '1900-01-01';

/** A first, last or company name. */
const name = filled(70);

/** Text that is not blank. */
function filled(max: number) {
  return input.characters(1, max).refine((value) => value.trim() !== '', 'must not be blank');
}

const calendarDate = z.string().refine(isCalendarDate, 'must be an existing date, as YYYY-MM-DD').openapi({ format: 'date' });

const birthday = calendarDate
  .refine((date) => !isCalendarDate(date) || date >= earliestBirthday, 'is too long ago')
  .refine((date) => !isCalendarDate(date) || isOfAge(date, new Date()), `must be at least ${fullAge} years ago`);

function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/** Whether somebody is 18 today, in UTC. Somebody born on 29 February turns 18 on 1 March. */
export function isOfAge(birthday: string, today: Date): boolean {
  const limit = `${String(today.getUTCFullYear() - fullAge).padStart(4, '0')}${today.toISOString().slice(4, 10)}`;
  return birthday <= limit;
}

const { passport, nationalIdentityCard, drivingLicense, residencePermit } = documentLabels;

/** Documents by which a person proves who they are, in words. */
export const identityDocuments = { passport, nationalIdentityCard, drivingLicense, residencePermit };

const identityDocument = z
  .object({
    kind: z
      .enum(documentKinds)
      .openapi({ description: 'The kind of the document.' })
      .register(formWords, { label: 'Identity document', options: identityDocuments }),
    number: filled(50)
      .openapi({ description: 'The number of the document, at most 50 characters.' })
      .register(formWords, { label: 'Number of the document' }),
  })
  .openapi({ description: 'A document that proves the identity.' });

const residence = {
  address: filled(70)
    .openapi({ description: 'Street and number, at most 70 characters.' })
    .register(formWords, { label: 'Street and number', autocomplete: 'street-address' }),
  postalCode: filled(20)
    .openapi({ description: 'Postal code, at most 20 characters.' })
    .register(formWords, { label: 'Postal code', autocomplete: 'postal-code' }),
  city: filled(70)
    .openapi({ description: 'City, at most 70 characters.' })
    .register(formWords, { label: 'City', autocomplete: 'address-level2' }),
  country: countrySchema('residency')
    .openapi({ description: 'Country of residence or registration (ISO 3166-1 alpha-2). It must be served: see `GET /countries`.' })
    .register(formWords, { label: 'Country', autocomplete: 'country', options: 'countries of residency' }),
};

const person = {
  firstName: name
    .openapi({ description: 'First name, at most 70 characters.' })
    .register(formWords, { label: 'First name', hint: 'As in the passport or identity card.', autocomplete: 'given-name' }),
  lastName: name
    .openapi({ description: 'Last name, at most 70 characters.' })
    .register(formWords, { label: 'Last name', autocomplete: 'family-name' }),
  birthday: birthday
    .openapi({ description: `Date of birth, as YYYY-MM-DD: at least ${fullAge} years ago.` })
    .register(formWords, { label: 'Date of birth', type: 'date', autocomplete: 'bday' }),
  nationality: countrySchema('nationality')
    .openapi({ description: 'Country of citizenship (ISO 3166-1 alpha-2). It must be served: see `GET /countries`.' })
    .register(formWords, { label: 'Nationality', options: 'countries of nationality' }),
  ...residence,
  countryState: filled(70)
    .optional()
    .openapi({ description: 'State or region of the country, at most 70 characters.' })
    .register(formWords, { label: 'State or region', autocomplete: 'address-level1' }),
  phone: filled(30)
    .optional()
    .openapi({ description: 'Phone number, at most 30 characters.' })
    .register(formWords, { label: 'Telephone', type: 'tel', autocomplete: 'tel' }),
  email: z
    .email('must be an email address')
    .max(254)
    .optional()
    .openapi({ description: 'Email address, at most 254 characters.' })
    .register(formWords, { label: 'Email address', type: 'email', autocomplete: 'email' }),
};

/** Personal details (docs/api.md, Personal details). */
export const personalDetails = z
  .object({ ...person, idDocument: identityDocument.optional() })
  .openapi('PersonalDetails', { description: 'Who a person is.' });

const companyPerson = {
  id: input.uuid.optional().openapi({
    description: 'Id by which verifications refer to the person. If it is left out, the profile lists the id that the service chose.',
  }),
  ...person,
};

/** A beneficial owner holds at least a quarter. */
const ownership = z
  .string()
  .regex(/^\d{2,3}(\.\d{1,2})?$/, 'must be a percentage from 25 to 100 as a string, with at most two decimals')
  .refine((text) => Number(text) >= 25 && Number(text) <= 100, 'must be from 25 to 100');

/** The persons of a company, by their role. */
export const companyPersons = {
  representatives: z.object({ ...companyPerson, idDocument: identityDocument }),
  finalBeneficiaries: z.object({
    ...companyPerson,
    idDocument: identityDocument.optional(),
    ownershipPercentage: ownership
      .openapi({ description: 'Share of the company in percent: a string from `25` to `100`, with at most two decimals.' })
      .register(formWords, { label: 'Share of the company in percent', hint: 'From 25 to 100, such as 33.33.' }),
  }),
  directors: z.object({ ...companyPerson, idDocument: identityDocument.optional() }),
};

/** The roles of persons in a company. */
export const companyRoles = ['representatives', 'finalBeneficiaries', 'directors'] as const;
/** The role of a person in a company. */
export type CompanyRole = (typeof companyRoles)[number];

/** How many persons a company names in each role at most: more than any has. */
export const maxPersons = 50;

function persons<Person extends z.ZodType>(person: Person, minCount: number) {
  return z.array(person).min(minCount, `must name at least ${minCount}`).max(maxPersons, `must name at most ${maxPersons}`);
}

const website = z.string().max(200).refine(isWebsite, 'must be an address such as https://example.com');

function isWebsite(text: string): boolean {
  return input.characters(1, 200).safeParse(text).success && /^(https?:\/\/)?[^\s/.]+(\.[^\s/.]+)+(\/\S*)?$/i.test(text);
}

/** Corporate details (docs/api.md, Corporate details). */
export const corporateDetails = z
  .object({
    name: name
      .openapi({ description: 'Name of the company, at most 70 characters.' })
      .register(formWords, { label: 'Name of the company', hint: 'As in the register of companies.', autocomplete: 'organization' }),
    registrationNumber: filled(50)
      .openapi({ description: 'Number in the register of companies, at most 50 characters.' })
      .register(formWords, { label: 'Registration number' }),
    registrationDate: calendarDate
      .refine((date) => date <= new Date().toISOString().slice(0, 10), 'must not be in the future')
      .optional()
      .openapi({ description: 'Date of registration, as YYYY-MM-DD.' })
      .register(formWords, { label: 'Date of registration', type: 'date' }),
    vatNumber: filled(30)
      .optional()
      .openapi({ description: 'VAT number, at most 30 characters.' })
      .register(formWords, { label: 'VAT number' }),
    website: website
      .optional()
      .openapi({ description: 'Website of the company, at most 200 characters.' })
      .register(formWords, { label: 'Website', autocomplete: 'url' }),
    ...residence,
    countryState: filled(70)
      .openapi({ description: 'State or region of the country, at most 70 characters.' })
      .register(formWords, { label: 'State or region', autocomplete: 'address-level1' }),
    representatives: persons(companyPersons.representatives, 1).openapi({
      description: `Who represents the company: 1 to ${maxPersons} persons.`,
    }),
    finalBeneficiaries: persons(companyPersons.finalBeneficiaries, 0).openapi({
      description: `Who owns at least a quarter of the company: at most ${maxPersons} persons.`,
    }),
    directors: persons(companyPersons.directors, 0).openapi({
      description: `Who directs the company: at most ${maxPersons} persons.`,
    }),
  })
  .superRefine((details, context) => {
    for (const path of sharedIds(details)) context.addIssue({ code: 'custom', path, message: 'is the id of another person' });
  })
  .openapi('CorporateDetails', { description: 'Who a company is.' });

interface Identified {
  id?: string | undefined;
  firstName: string;
  lastName: string;
  birthday: string;
}

/** The fields whose id two different persons have: the documents of one would count for both. */
function* sharedIds(details: Record<CompanyRole, Identified[]>): Generator<[string, number, string]> {
  const seen = new Map<string, string>();
  for (const role of companyRoles)
    for (const [index, { id, firstName, lastName, birthday }] of details[role].entries()) {
      if (id === undefined) continue;
      const identity = JSON.stringify([firstName, lastName, birthday]);
      if ((seen.get(id) ?? identity) !== identity) yield [role, index, 'id'];
      seen.set(id, identity);
    }
}
