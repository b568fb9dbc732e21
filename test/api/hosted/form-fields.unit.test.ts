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

const fieldOf = (
  schema: typeof personalDetails | (typeof companyPersons)['representatives' | 'directors'],
  field: string,
  isOwn: boolean,
) => formFieldsOf(schema, { isOwn }).find(({ name }) => name === field);

it('a page knows the data of its user, and not those of a colleague', () => {
  expect(fieldOf(personalDetails, 'birthday', true)).toMatchObject({ type: 'date', autocomplete: 'bday', required: true });
  expect(fieldOf(companyPersons.directors, 'birthday', false)).toMatchObject({ autocomplete: 'off' });
});

it('a document is asked for where it is needed', () => {
  expect(fieldOf(companyPersons.representatives, 'idDocument.number', false)?.required).toBe(true);
  expect(fieldOf(companyPersons.directors, 'idDocument.number', false)?.required).toBe(false);
});
