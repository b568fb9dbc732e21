import { z } from '@hono/zod-openapi';
import { corporateForm as company, personalForm as person } from '../../ledger/customers/kyc-enumerations.ts';
import { companyLabels, personLabels } from '../../ledger/customers/form-value-labels.ts';
import { formWords } from '../../wire/form-words.ts';
import { countrySchema } from './country-schema.ts';
import * as input from '../../wire/input-fields.ts';

/** Personal form (docs/api.md, Personal form). */
export const personalForm = z
  .object({
    occupation: z
      .enum(person.occupation)
      .openapi({ description: 'How the person earns a living.' })
      .register(formWords, { label: 'Occupation', options: personLabels.occupation }),
    profession: z
      .enum(person.profession)
      .openapi({ description: 'The field in which the person works.' })
      .register(formWords, { label: 'Line of work', options: personLabels.profession }),
    fundOrigin: z
      .enum(person.fundOrigin)
      .openapi({ description: 'Where the money comes from.' })
      .register(formWords, { label: 'Where most of your money comes from', options: personLabels.fundOrigin }),
    annualIncome: z
      .enum(person.annualIncome)
      .openapi({ description: 'Income of a year, in EUR.' })
      .register(formWords, { label: 'Yearly income in euro', options: personLabels.annualIncome }),
    monthlyTurnover: z
      .enum(person.monthlyTurnover)
      .openapi({ description: 'Expected turnover of a month, in EUR.' })
      .register(formWords, { label: 'Amount you will move in a month, in euro', options: personLabels.monthlyTurnover }),
    monthlyTransactionCount: z
      .enum(person.monthlyTransactionCount)
      .openapi({ description: 'Expected number of payments a month.' })
      .register(formWords, { label: 'Payments in a month', options: personLabels.monthlyTransactionCount }),
    activities: z
      .array(z.enum(person.activities))
      .min(1, 'must name at least one')
      .max(person.activities.length, 'must name each at most once')
      .refine((names) => new Set(names).size === names.length, 'must name each at most once')
      .openapi({ description: 'What the account is used for; each at most once.' })
      .register(formWords, { label: 'What will you use the account for?', options: personLabels.activities }),
    activityOther: input
      .characters(0, 200)
      .optional()
      .openapi({ description: 'Other activities in words, at most 200 characters. Required with `ACTIVITY_OTHER`.' })
      .register(formWords, { label: 'Something else, in your words' }),
    publicFunction: z
      .boolean()
      .openapi({ description: 'Whether the person holds a prominent public function, or is close to someone who does.' })
      .register(formWords, { label: 'Do you or does somebody close to you hold a high public office?' }),
    fundOwner: z
      .boolean()
      .openapi({ description: 'Whether the money is the person’s own.' })
      .register(formWords, { label: 'Is the money your own?' }),
    usCitizen: z
      .boolean()
      .openapi({ description: 'Whether the person is a citizen of the United States.' })
      .register(formWords, { label: 'Are you a citizen of the United States?' }),
    usTaxPerson: z
      .boolean()
      .openapi({ description: 'Whether the person pays taxes in the United States.' })
      .register(formWords, { label: 'Do you have to pay tax in the United States?' }),
    taxResidenceCountry: countrySchema()
      .openapi({ description: 'The country where the person pays taxes (ISO 3166-1 alpha-2).' })
      .register(formWords, { label: 'Country in which you pay tax', options: 'countries' }),
    tin: input
      .characters(1, 50)
      .openapi({ description: 'Tax identification number, at most 50 characters.' })
      .register(formWords, { label: 'Your tax number there' }),
  })
  .superRefine(({ activities, activityOther }, context) => {
    if (activities.includes('ACTIVITY_OTHER') && (activityOther ?? '').trim() === '')
      context.addIssue({ code: 'custom', path: ['activityOther'], message: 'is required with ACTIVITY_OTHER' });
  })
  .openapi('PersonalForm', { description: 'What a person does and intends.' });

/** Corporate form (docs/api.md, Corporate form). */
export const corporateForm = z
  .object({
    service: input
      .characters(1, 500)
      .openapi({ description: 'What the company does, in words: at most 500 characters.' })
      .register(formWords, { label: 'What the company does', hint: 'In your words, at most 500 characters.', isLong: true }),
    legalForm: z
      .enum(company.legalForm)
      .optional()
      .openapi({ description: 'The legal form of the company.' })
      .register(formWords, { label: 'Legal form', options: companyLabels.legalForm }),
    activity: z
      .enum(company.activity)
      .openapi({ description: 'The field in which the company works.' })
      .register(formWords, { label: 'Line of business', options: companyLabels.activity }),
    purpose: z
      .enum(company.purpose)
      .openapi({ description: 'What the account is for.' })
      .register(formWords, { label: 'What the account is for', options: companyLabels.purpose }),
    fundOrigin: z
      .enum(company.fundOrigin)
      .openapi({ description: 'Where the money comes from.' })
      .register(formWords, { label: 'Where most of its money comes from', options: companyLabels.fundOrigin }),
    monthlyTurnover: z
      .enum(company.monthlyTurnover)
      .openapi({ description: 'Expected turnover of a month, in EUR.' })
      .register(formWords, { label: 'Amount it will move in a month, in euro', options: companyLabels.monthlyTurnover }),
    monthlyTransactionCount: z
      .enum(company.monthlyTransactionCount)
      .openapi({ description: 'Expected number of payments a month.' })
      .register(formWords, { label: 'Payments in a month', options: companyLabels.monthlyTransactionCount }),
  })
  .openapi('CorporateForm', { description: 'What a company does and intends.' });
