import { expect, it } from 'vitest';
import { companyPersons, companyRoles, corporateDetails, personalDetails } from '../../../src/api/customers/profile-details-schema.ts';
import { corporateForm, personalForm } from '../../../src/api/customers/profile-form-schema.ts';
import { formFieldsOf } from '../../../src/api/hosted/onboarding/form-fields.ts';

it.each(Object.entries({ personalDetails, personalForm, corporateDetails, corporateForm, ...companyPersons }))(
  'a page asks for everything that %s needs',
  (_, schema) => {
    const asked = formFieldsOf(schema).map(({ name }) => name.split('.')[0] ?? '');
    // Each person of a company has a page.
    const persons: readonly string[] = companyRoles;
    const needed = Object.entries(schema.shape).filter(([name, field]) => !field.isOptional() && !persons.includes(name));
    expect(asked).toEqual(expect.arrayContaining(needed.map(([name]) => name)));
    expect(needed).not.toEqual([]);
  },
);

it('a page knows the data of its user, and not those of a colleague', () => {
  const birthdayOf = (fields: ReturnType<typeof formFieldsOf>) => fields.find(({ name }) => name === 'birthday');
  expect(birthdayOf(formFieldsOf(personalDetails))).toMatchObject({ type: 'date', autocomplete: 'bday', required: true });
  expect(birthdayOf(formFieldsOf(companyPersons.directors, { isOwn: false }))).toMatchObject({ autocomplete: 'off' });
});

it('a document is asked for where it is needed', () => {
  const documentOf = (role: 'representatives' | 'directors') =>
    formFieldsOf(companyPersons[role], { isOwn: false }).find(({ name }) => name === 'idDocument.number');
  expect([documentOf('representatives')?.required, documentOf('directors')?.required]).toEqual([true, false]);
});
