import { z } from '@hono/zod-openapi';
import { documentKinds } from '../../ledger/customers/kyc-enumerations.ts';
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

const identityDocument = z.object({ number: filled(50), kind: z.enum(documentKinds) });

const residence = {
  address: filled(70),
  postalCode: filled(20),
  city: filled(70),
  country: countrySchema('residency'),
};

const person = {
  firstName: name,
  lastName: name,
  ...residence,
  countryState: filled(70).optional(),
  nationality: countrySchema('nationality'),
  birthday,
  phone: filled(30).optional(),
  email: z.email('must be an email address').max(254).optional(),
};

/** Personal details (docs/api.md, Personal details). */
export const personalDetails = z.object({ ...person, idDocument: identityDocument.optional() }).openapi('PersonalDetails');

const companyPerson = {
  id: input.uuid
    .optional()
    .openapi({ description: 'by which verifications refer to the person; if it is left out, the profile lists the assigned id' }),
  ...person,
};

/** A beneficial owner holds at least a quarter. */
const ownership = z
  .string()
  .regex(/^\d{2,3}(\.\d{1,2})?$/, 'must be a percentage from 25 to 100 as a string, with at most two decimals')
  .refine((text) => Number(text) >= 25 && Number(text) <= 100, 'must be from 25 to 100');

/** More than any company has. */
const maxPersons = 50;

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
    name,
    registrationNumber: filled(50),
    ...residence,
    countryState: filled(70),
    registrationDate: calendarDate.refine((date) => date <= new Date().toISOString().slice(0, 10), 'must not be in the future').optional(),
    vatNumber: filled(30).optional(),
    website: website.optional(),
    representatives: persons(z.object({ ...companyPerson, idDocument: identityDocument }), 1),
    finalBeneficiaries: persons(z.object({ ...companyPerson, idDocument: identityDocument.optional(), ownershipPercentage: ownership }), 0),
    directors: persons(z.object({ ...companyPerson, idDocument: identityDocument.optional() }), 0),
  })
  .superRefine((details, context) => {
    for (const path of sharedIds(details)) context.addIssue({ code: 'custom', path, message: 'is the id of another person' });
  })
  .openapi('CorporateDetails');

interface Identified {
  id?: string | undefined;
  firstName: string;
  lastName: string;
  birthday: string;
}

/** The fields whose id two different persons have: the documents of one would count for both. */
function* sharedIds(details: Record<(typeof roles)[number], Identified[]>): Generator<[string, number, string]> {
  const seen = new Map<string, string>();
  for (const role of roles)
    for (const [index, { id, firstName, lastName, birthday }] of details[role].entries()) {
      if (id === undefined) continue;
      const identity = JSON.stringify([firstName, lastName, birthday]);
      if ((seen.get(id) ?? identity) !== identity) yield [role, index, 'id'];
      seen.set(id, identity);
    }
}

const roles = ['representatives', 'finalBeneficiaries', 'directors'] as const;
