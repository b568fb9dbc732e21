import type { profileVerifications } from '../../../ledger/customers/kyc-enumerations.ts';
import type { ProfileKind } from '../../../schema/states.ts';

/** A verification in words: what it is called, and which documents prove it. */
export interface VerificationText {
  title: string;
  hint: string;
}

const identity: VerificationText = {
  title: 'Identity document',
  hint: 'A photo or scan of the whole page or card, in which everything can be read. It must be valid.',
};
const residence: VerificationText = {
  title: 'Proof of address',
  hint: 'A bill, a bank statement or a letter of an authority with name and address, not older than three months.',
};
const register = 'An extract from the register of companies, not older than three months.';

/** The verifications of each kind of profile, those of a company's persons included (docs/api.md, Verifications). */
const verificationTexts: {
  [Kind in ProfileKind]: Record<(typeof profileVerifications)[Kind][number] | 'idDocument' | 'proofOfResidency', VerificationText>;
} = {
  personal: {
    idDocument: identity,
    facialSimilarity: { title: 'Photo of your face', hint: 'Taken now, from the front, without glasses or hat.' },
    proofOfResidency: residence,
    sourceOfFunds: { title: 'Source of your money', hint: 'A payslip, a tax return, a contract of sale or the like.' },
  },
  corporate: {
    idDocument: identity,
    proofOfResidency: residence,
    sourceOfFunds: { title: "Source of the company's money", hint: 'The last annual accounts, a bank statement or the like.' },
    corporateName: { title: 'Name of the company', hint: register },
    corporateAddress: { title: 'Address of the company', hint: `${register} Or a bill or letter that shows the address.` },
    registrationNumber: { title: 'Registration number', hint: register },
    dateOfRegistration: { title: 'Date of registration', hint: register },
    beneficialOwnership: { title: 'Owners of the company', hint: 'The list of shareholders, or an extract from the register of owners.' },
    powerOfAttorney: { title: 'Power of attorney', hint: 'Who may act for the company: a power of attorney, or an extract that says so.' },
  },
};

/** A verification in words; one that is not known by its own name. */
export function verificationText(profileKind: ProfileKind, kind: string): VerificationText {
  const texts: Record<string, VerificationText> = verificationTexts[profileKind];
  return texts[kind] ?? { title: kind, hint: '' };
}
