import { z } from '@hono/zod-openapi';
import { corporateForm as company, personalForm as person } from '../../ledger/customers/kyc-enumerations.ts';
import { countrySchema } from './country-schema.ts';
import * as input from '../../wire/input-fields.ts';

/** Personal form (docs/api.md, Personal form). */
export const personalForm = z
  .object({
    occupation: z.enum(person.occupation).openapi({ description: 'How the person earns a living.' }),
    profession: z.enum(person.profession).openapi({ description: 'The field in which the person works.' }),
    fundOrigin: z.enum(person.fundOrigin).openapi({ description: 'Where the money comes from.' }),
    annualIncome: z.enum(person.annualIncome).openapi({ description: 'Income of a year, in EUR.' }),
    monthlyTurnover: z.enum(person.monthlyTurnover).openapi({ description: 'Expected turnover of a month, in EUR.' }),
    monthlyTransactionCount: z.enum(person.monthlyTransactionCount).openapi({ description: 'Expected number of payments a month.' }),
    activities: z
      .array(z.enum(person.activities))
      .min(1, 'must name at least one')
      .max(person.activities.length, 'must name each at most once')
      .refine((names) => new Set(names).size === names.length, 'must name each at most once')
      .openapi({ description: 'What the account is used for; each at most once.' }),
    activityOther: input
      .characters(0, 200)
      .optional()
      .openapi({ description: 'Other activities in words, at most 200 characters. Required with `ACTIVITY_OTHER`.' }),
    publicFunction: z
      .boolean()
      .openapi({ description: 'Whether the person holds a prominent public function, or is close to someone who does.' }),
    fundOwner: z.boolean().openapi({ description: 'Whether the money is the person’s own.' }),
    usCitizen: z.boolean().openapi({ description: 'Whether the person is a citizen of the United States.' }),
    usTaxPerson: z.boolean().openapi({ description: 'Whether the person pays taxes in the United States.' }),
    tin: input.characters(1, 50).openapi({ description: 'Tax identification number, at most 50 characters.' }),
    taxResidenceCountry: countrySchema().openapi({ description: 'The country where the person pays taxes (ISO 3166-1 alpha-2).' }),
  })
  .superRefine(({ activities, activityOther }, context) => {
    if (activities.includes('ACTIVITY_OTHER') && (activityOther ?? '').trim() === '')
      context.addIssue({ code: 'custom', path: ['activityOther'], message: 'is required with ACTIVITY_OTHER' });
  })
  .openapi('PersonalForm', { description: 'What a person does and intends.' });

/** Corporate form (docs/api.md, Corporate form). */
export const corporateForm = z
  .object({
    service: input.characters(1, 500).openapi({ description: 'What the company does, in words: at most 500 characters.' }),
    legalForm: z.enum(company.legalForm).optional().openapi({ description: 'The legal form of the company.' }),
    purpose: z.enum(company.purpose).openapi({ description: 'What the account is for.' }),
    activity: z.enum(company.activity).openapi({ description: 'The field in which the company works.' }),
    fundOrigin: z.enum(company.fundOrigin).openapi({ description: 'Where the money comes from.' }),
    monthlyTurnover: z.enum(company.monthlyTurnover).openapi({ description: 'Expected turnover of a month, in EUR.' }),
    monthlyTransactionCount: z.enum(company.monthlyTransactionCount).openapi({ description: 'Expected number of payments a month.' }),
  })
  .openapi('CorporateForm', { description: 'What a company does and intends.' });
