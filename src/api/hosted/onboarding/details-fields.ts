import { companyPersons, type CompanyRole, corporateDetails, personalDetails } from '../../customers/profile-details-schema.ts';
import type { Field } from '../fields.ts';
import { formFieldsOf } from './form-fields.ts';

/** The fields of a person's details (docs/api.md, Personal details). */
export const personFields: readonly Field[] = formFieldsOf(personalDetails);

/** The fields of a person of a company, by their role (docs/api.md, Corporate details). */
export const companyPersonFields: Record<CompanyRole, readonly Field[]> = {
  representatives: formFieldsOf(companyPersons.representatives, { isOwn: false }),
  finalBeneficiaries: formFieldsOf(companyPersons.finalBeneficiaries, { isOwn: false }),
  directors: formFieldsOf(companyPersons.directors, { isOwn: false }),
};

/** The fields of a company's details without its persons, each of whom has a page (docs/api.md, Corporate details). */
export const companyFields: readonly Field[] = formFieldsOf(corporateDetails);
