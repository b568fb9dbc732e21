import type { Field } from '../fields.ts';
import { allCountries } from './details-fields.ts';
import { companyLabels, personLabels } from '../../../ledger/customers/form-value-labels.ts';

/** The fields of a person's form (docs/api.md, Personal form). */
export const personFormFields: readonly Field[] = [
  choice('occupation', 'Occupation', personLabels.occupation),
  choice('profession', 'Line of work', personLabels.profession),
  choice('fundOrigin', 'Where most of your money comes from', personLabels.fundOrigin),
  choice('annualIncome', 'Yearly income in euro', personLabels.annualIncome),
  choice('monthlyTurnover', 'Amount you will move in a month, in euro', personLabels.monthlyTurnover),
  choice('monthlyTransactionCount', 'Payments in a month', personLabels.monthlyTransactionCount),
  {
    name: 'activities',
    label: 'What will you use the account for?',
    autocomplete: 'off',
    control: 'checkboxes',
    options: Object.entries(personLabels.activities),
  },
  { name: 'activityOther', label: 'Something else, in your words', autocomplete: 'off', required: false },
  question('publicFunction', 'Do you or does somebody close to you hold a high public office?'),
  question('fundOwner', 'Is the money your own?'),
  question('usCitizen', 'Are you a citizen of the United States?'),
  question('usTaxPerson', 'Do you have to pay tax in the United States?'),
  { name: 'taxResidenceCountry', label: 'Country in which you pay tax', autocomplete: 'off', options: allCountries },
  { name: 'tin', label: 'Your tax number there', autocomplete: 'off' },
];

/** The fields of a company's form (docs/api.md, Corporate form). */
export const companyFormFields: readonly Field[] = [
  {
    name: 'service',
    label: 'What the company does',
    autocomplete: 'off',
    control: 'textarea',
    hint: 'In your words, at most 500 characters.',
  },
  { ...choice('legalForm', 'Legal form', companyLabels.legalForm), required: false },
  choice('activity', 'Line of business', companyLabels.activity),
  choice('purpose', 'What the account is for', companyLabels.purpose),
  choice('fundOrigin', 'Where most of its money comes from', companyLabels.fundOrigin),
  choice('monthlyTurnover', 'Amount it will move in a month, in euro', companyLabels.monthlyTurnover),
  choice('monthlyTransactionCount', 'Payments in a month', companyLabels.monthlyTransactionCount),
];

function choice(name: string, label: string, labels: Record<string, string>): Field {
  return { name, label, autocomplete: 'off', options: Object.entries(labels) };
}

function question(name: string, label: string): Field {
  return { name, label, autocomplete: 'off', control: 'yesNo' };
}
