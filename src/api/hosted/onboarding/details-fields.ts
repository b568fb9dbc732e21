import { type Country, listCountries } from '../../../ledger/customers/countries.ts';
import type { CompanyRole } from '../../customers/profile-details-schema.ts';
import type { Field } from '../fields.ts';
import { documentLabels } from '../../../ledger/customers/form-value-labels.ts';

/** Documents by which a person proves who they are. */
export const identityDocuments = (['passport', 'nationalIdentityCard', 'drivingLicense', 'residencePermit'] as const).map(
  (kind) => [kind, documentLabels[kind]] as const,
);

/** Every country, by its name. */
export const allCountries = byName(listCountries());

/** The fields of a person's details (docs/api.md, Personal details). */
export const personFields: readonly Field[] = fieldsOfPerson({ needsDocument: false, isUser: true });

/** The fields of a person of a company, by their role (docs/api.md, Corporate details). */
export const companyPersonFields: Record<CompanyRole, readonly Field[]> = {
  representatives: fieldsOfPerson({ needsDocument: true, isUser: false }),
  finalBeneficiaries: [
    ...fieldsOfPerson({ needsDocument: false, isUser: false }),
    { name: 'ownershipPercentage', label: 'Share of the company in percent', autocomplete: 'off', hint: 'From 25 to 100, such as 33.33.' },
  ],
  directors: fieldsOfPerson({ needsDocument: false, isUser: false }),
};

/** The fields of a company's details without its persons (docs/api.md, Corporate details). */
export const companyFields: readonly Field[] = [
  { name: 'name', label: 'Name of the company', autocomplete: 'organization', hint: 'As in the register of companies.' },
  { name: 'registrationNumber', label: 'Registration number', autocomplete: 'off' },
  { name: 'registrationDate', label: 'Date of registration', type: 'date', autocomplete: 'off', required: false },
  { name: 'vatNumber', label: 'VAT number', autocomplete: 'off', required: false },
  { name: 'website', label: 'Website', autocomplete: 'url', required: false },
  ...residence(true),
  { name: 'countryState', label: 'State or region', autocomplete: 'address-level1' },
];

function fieldsOfPerson({ needsDocument, isUser }: { needsDocument: boolean; isUser: boolean }): Field[] {
  // The browser knows the user's own data, not those of a colleague.
  const own = (token: string) => (isUser ? token : 'off');
  const document = 'idDocument.number';
  return [
    { name: 'firstName', label: 'First name', autocomplete: own('given-name'), hint: 'As in the passport or identity card.' },
    { name: 'lastName', label: 'Last name', autocomplete: own('family-name') },
    { name: 'birthday', label: 'Date of birth', type: 'date', autocomplete: own('bday') },
    { name: 'nationality', label: 'Nationality', autocomplete: 'off', options: served('nationality') },
    ...residence(isUser),
    { name: 'countryState', label: 'State or region', autocomplete: own('address-level1'), required: false },
    { name: 'phone', label: 'Telephone', type: 'tel', autocomplete: own('tel'), required: false },
    { name: 'email', label: 'Email address', type: 'email', autocomplete: own('email'), required: false },
    { name: 'idDocument.kind', label: 'Identity document', autocomplete: 'off', options: identityDocuments, required: needsDocument },
    { name: document, label: 'Number of the document', autocomplete: 'off', required: needsDocument },
  ];
}

function residence(isUser: boolean): Field[] {
  const own = (token: string) => (isUser ? token : 'off');
  return [
    { name: 'address', label: 'Street and number', autocomplete: own('street-address') },
    { name: 'postalCode', label: 'Postal code', autocomplete: own('postal-code') },
    { name: 'city', label: 'City', autocomplete: own('address-level2') },
    { name: 'country', label: 'Country', autocomplete: own('country'), options: served('residency') },
  ];
}

/** The countries from which customers are served. */
function served(as: 'nationality' | 'residency'): [string, string][] {
  return byName(listCountries().filter((country) => country[as] !== 'restricted' && country[as] !== 'prohibited'));
}

function byName(countries: Country[]): [string, string][] {
  return countries
    .map(({ code, name }): [string, string] => [code, name])
    .toSorted(([, first], [, second]) => first.localeCompare(second, 'en'));
}
