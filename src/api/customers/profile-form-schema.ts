import { z } from '@hono/zod-openapi';
import { corporateForm as company, personalForm as person } from '../../ledger/customers/kyc-enumerations.ts';
import { countrySchema } from './country-schema.ts';
import * as input from '../../wire/input-fields.ts';

/** Personal form (docs/api.md, Personal form). */
export const personalForm = z
  .object({
    occupation: z.enum(person.occupation),
    profession: z.enum(person.profession),
    fundOrigin: z.enum(person.fundOrigin),
    annualIncome: z.enum(person.annualIncome),
    monthlyTurnover: z.enum(person.monthlyTurnover),
    monthlyTransactionCount: z.enum(person.monthlyTransactionCount),
    activities: z
      .array(z.enum(person.activities))
      .min(1, 'must name at least one')
      .max(person.activities.length, 'must name each at most once')
      .refine((names) => new Set(names).size === names.length, 'must name each at most once'),
    activityOther: input.characters(0, 200).optional().openapi({ description: 'required with ACTIVITY_OTHER' }),
    publicFunction: z.boolean(),
    fundOwner: z.boolean(),
    usCitizen: z.boolean(),
    usTaxPerson: z.boolean(),
    tin: input.characters(1, 50),
    taxResidenceCountry: countrySchema(),
  })
  .superRefine(({ activities, activityOther }, context) => {
    if (activities.includes('ACTIVITY_OTHER') && (activityOther ?? '').trim() === '')
      context.addIssue({ code: 'custom', path: ['activityOther'], message: 'is required with ACTIVITY_OTHER' });
  })
  .openapi('PersonalForm');

/** Corporate form (docs/api.md, Corporate form). */
export const corporateForm = z
  .object({
    service: input.characters(1, 500).openapi({ description: 'what the company does, in words' }),
    legalForm: z.enum(company.legalForm).optional(),
    purpose: z.enum(company.purpose),
    activity: z.enum(company.activity),
    fundOrigin: z.enum(company.fundOrigin),
    monthlyTurnover: z.enum(company.monthlyTurnover),
    monthlyTransactionCount: z.enum(company.monthlyTransactionCount),
  })
  .openapi('CorporateForm');
