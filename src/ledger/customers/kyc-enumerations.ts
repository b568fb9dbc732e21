import type { ProfileKind } from '../../schema/states.ts';

/** The words that onboarding data consists of (docs/api.md, Profiles). */

/** Adds the prefix that each enumeration has on the wire. */
function prefixed<const Prefix extends string, const Name extends string>(prefix: Prefix, names: readonly Name[]) {
  return names.map((name) => `${prefix}_${name}` as const) as [`${Prefix}_${Name}`, ...`${Prefix}_${Name}`[]];
}

/** What a document of a verification can be. */
export const documentKinds = [
  'passport',
  'nationalIdentityCard',
  'drivingLicense',
  'residencePermit',
  'proofOfResidency',
  'sourceOfFunds',
  'companyFilePDF',
  'other',
] as const;

/** The sides of a document. */
export const documentSides = ['front', 'back'] as const;

/** The verifications a profile begins with; it is complete when each has a document. */
export const profileVerifications = {
  personal: ['idDocument', 'facialSimilarity', 'proofOfResidency', 'sourceOfFunds'],
  corporate: [
    'sourceOfFunds',
    'corporateName',
    'corporateAddress',
    'registrationNumber',
    'dateOfRegistration',
    'beneficialOwnership',
    'powerOfAttorney',
  ],
} as const satisfies Record<ProfileKind, readonly string[]>;

/** The verifications of each representative and final beneficiary of a company. */
export const personVerifications = ['idDocument', 'proofOfResidency'] as const;

/** All verifications that a profile of each kind can have, those of persons included. */
export const verificationKinds = {
  personal: profileVerifications.personal,
  corporate: [...profileVerifications.corporate, ...personVerifications],
} as const;

/** Enumerations of the form of a person. */
export const personalForm = {
  occupation: prefixed('OCCUPATION', ['STUDENT', 'EMPLOYED', 'SELF_EMPLOYED', 'UNEMPLOYED', 'RETIRED']),
  profession: prefixed('PROFESSION', [
    'ACCOUNTANCY',
    'ADMINISTRATIVE',
    'AGRICULTURE',
    'ARTS_ENTERTAINMENT_MEDIA',
    'BROKER_DEALER',
    'CATERING_HOSPITALITY_TOURISM',
    'CHARITY',
    'CONSTRUCTION_REAL_ESTATE',
    'DEALER_HIGH_VALUE_GOODS',
    'DEALER_PRECIOUS_METALS',
    'EDUCATION',
    'EMERGENCY_SERVICES',
    'EXTRACTIVE_INDUSTRY',
    'FINANCIAL_SERVICES_BANKING',
    'FINANCIAL_SERVICES_INSURANCE',
    'FINANCIAL_SERVICES_OTHER',
    'FINANCIAL_SERVICES_PRIVATE_BANKING',
    'GAMBLING',
    'GOVERNMENT',
    'HEALTH_CARE',
    'INFORMATION_TECHNOLOGY',
    'LEGAL',
    'MANUFACTURING',
    'MARKETING',
    'MILITARY',
    'MONEY_SERVICE_BUSINESS',
    'PENSIONER',
    'PUBLIC_PROCUREMENT',
    'RETAIL_SALES',
  ]),
  fundOrigin: prefixed('FUND_ORIGIN', [
    'SALARY',
    'DIVIDENDS',
    'INHERITANCE',
    'SAVINGS',
    'INVESTMENT',
    'GIFT',
    'MINING',
    'REAL_ESTATE',
    'LOAN',
  ]),
  annualIncome: prefixed('ANNUAL_INCOME', ['UNDER_10K', 'FROM_10K_TO_50K', 'FROM_50K_TO_150K', 'FROM_150K_TO_300K', 'MORE_THAN_300K']),
  monthlyTurnover: prefixed('TURNOVER', ['UNDER_10K', '10K_TO_50K', '50K_TO_150K', '150K_TO_500K', 'MORE_THAN_500K']),
  monthlyTransactionCount: prefixed('TRANSACTION_COUNT', ['UNDER_5', '5_TO_50', '50_TO_100', '100_TO_200', 'MORE_THAN_200']),
  activities: prefixed('ACTIVITY', ['COMMERCE_SELLING', 'COMMERCE_BUYING', 'INVESTING_CRYPTO', 'OTHER']),
};

/** Enumerations of the form of a company. */
export const corporateForm = {
  legalForm: prefixed('LEGAL_FORM', [
    'PUBLIC_LIMITED',
    'PRIVATE_LIMITED',
    'PARTNERSHIPS',
    'SOLE_TRADERS_PROPRIETORSHIPS',
    'PUBLIC_AUTHORITIES',
    'NON_PROFIT',
    'BRANCHES',
    'OTHER',
  ]),
  purpose: prefixed('PURPOSE', ['COLLECTING_PAYMENTS', 'PAYING_FOR_GOODS', 'BUY_SELL_CRYPTO_CURRENCIES', 'ENGAGE_IN_DEFI', 'OTHER']),
  activity: prefixed('ACTIVITY', [
    'ACCOMMODATION_FOOD_TRAVEL',
    'ACCOUNTING_LEGAL_CONSULTANCY',
    'ADULT_ENTERTAINMENT',
    'ADVERTISING',
    'AGRICULTURE',
    'ARTS_ENTERTAINMENT',
    'CHARITY',
    'CONSTRUCTION',
    'DEALER_HIGH_VALUE_GOODS',
    'ECOMMERCE',
    'EDUCATION',
    'EXTRACTIVE_INDUSTRY',
    'GAMBLING',
    'HEALTH_SERVICES',
    'MANUFACTURING',
    'MARKETPLACE',
    'MEDIA',
    'MULTI_LEVEL_MARKETING',
    'PERSONAL_INVESTMENT',
    'PUBLIC_SECTOR',
    'REAL_ESTATE',
    'RETAIL',
    'SOCIAL_WORK',
    'SOFTWARE_TECHNOLOGY',
    'TELECOM',
    'TRANSPORTATION',
    'UTILITIES',
    'CRYPTO_SERVICES',
    'FINANCIAL_INSTITUTION',
    'OTHER',
  ]),
  fundOrigin: prefixed('FUND_ORIGIN', ['REVENUE', 'PROFIT_DIVIDENDS', 'LOAN', 'INVESTMENTS', 'CUSTOMER_FUNDS', 'THIRD_PARTIES_FUNDS']),
  monthlyTurnover: prefixed('TURNOVER', ['UNDER_100K', '100K_TO_250K', 'MORE_THAN_250K']),
  monthlyTransactionCount: prefixed('TRANSACTION_COUNT', ['UNDER_100', '100_TO_250', 'MORE_THAN_250']),
};
