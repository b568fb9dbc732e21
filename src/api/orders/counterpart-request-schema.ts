import { z } from '@hono/zod-openapi';
import { countryProblem, payeeProblem } from '../../ledger/customers/countries.ts';
import type { Settings } from '../../platform/settings.ts';
import { countrySchema } from '../customers/country-schema.ts';
import { describedAs } from '../http/described-as.ts';
import * as input from '../../wire/input-fields.ts';
import { countCharacters } from '../../wire/text.ts';
import { addressLengths, addressLines, type PostalAddress } from '../../platform/settings/postal-address.ts';

/** Length of a payee's name in SEPA. */
const maxNameLength = 70;

const name = input.characters(2, maxNameLength);

/** The forms of a payee's name, each of fields that belong together. */
const nameForms = [['firstName', 'lastName'], ['companyName'], ['name']];

const addressPart = (part: keyof typeof addressLengths, meaning: string) =>
  input.characters(1, addressLengths[part]).openapi({ description: `${meaning}, at most ${addressLengths[part]} characters.` });

const payeeAddress = z
  .object({
    street: addressPart('street', 'Name of the street').optional(),
    buildingNumber: addressPart('buildingNumber', 'Number of the building').optional(),
    postalCode: addressPart('postalCode', 'Postal code').optional(),
    city: addressPart('city', 'Name of the town'),
    countryState: addressPart('countryState', 'State or region of the country').optional(),
    country: countrySchema('residency')
      .optional()
      .openapi({ description: 'Country (ISO 3166-1 alpha-2). Without it, the `country` beside the address.' }),
    lines: z
      .array(input.characters(1, addressLines.length))
      .max(addressLines.most)
      .optional()
      .openapi({ description: 'What fits into none of these, in up to two lines of 70 characters: the address is then a hybrid one.' }),
  })
  .openapi('PostalAddress', {
    description:
      'Where the payee lives or has its seat, for banks that need it: structured or hybrid (ISO 20022). Banks take no unstructured address.',
  });

/** What a bank learns of a payee. */
const bankDetails = z.object({
  firstName: name.optional(),
  lastName: name.optional(),
  companyName: name.optional(),
  name: name.optional(),
  country: countrySchema('residency').optional(),
  address: payeeAddress.optional(),
});

const payeeDetails = z.object({
  firstName: z
    .string()
    .optional()
    .openapi({ description: 'First name of a person, 2 to 70 characters; together with the last name at most 70.' }),
  lastName: z.string().optional().openapi({ description: 'Last name of a person, 2 to 70 characters.' }),
  companyName: z.string().optional().openapi({ description: 'Name of a company, 2 to 70 characters.' }),
  name: z.string().optional().openapi({ description: 'Name of a person or a company, 2 to 70 characters.' }),
  country: z.string().optional().openapi({
    pattern: '^[A-Za-z]{2}$',
    description: 'Country of residence (ISO 3166-1 alpha-2). Without it, the country of the IBAN.',
  }),
  address: z.preprocess((value) => (typeof value === 'string' ? undefined : value), payeeAddress.optional()).optional(),
});

const describedDetails = payeeDetails
  .extend({
    address: z
      .union([payeeAddress, z.string().openapi('AddressText', { description: 'Ignored.' })])
      .openapi('PayeeAddress', { description: 'The address of the payee. A text in its place is ignored.' })
      .optional(),
  })
  .openapi('PayeeDetails', {
    description:
      'Who is paid: `firstName` and `lastName`, or `companyName`, or `name`. Beside one of these another that is not valid, such as an empty one, is ignored.',
  });

/** The payee of an order (docs/api.md, Counterpart). */
export function counterpartRequestSchema(settings: Settings) {
  const bank = z
    .object({
      standard: z.literal('iban').openapi({ description: 'Pays to a bank account; euro only within SEPA.' }),
      iban: input.iban,
    })
    .openapi('IbanPayee', { description: 'A bank account that is paid.' });
  const chain = z
    .object({
      standard: z.literal('chain').openapi({ description: 'Pays tokens to an address on a chain.' }),
      address: input.address.openapi({
        description:
          'An address: `0x` and 40 hexadecimal digits. In mixed case it must be the EIP-55 checksum form, unless it is linked to a profile of the caller.',
      }),
      chain: input.chain(settings),
    })
    .openapi('ChainPayee', { description: 'An address that is paid.' });
  const counterpart = z
    .object({ identifier: z.discriminatedUnion('standard', [bank, chain]), details: payeeDetails.default({}) })
    .transform(({ identifier, details: sent }, context) => {
      if (identifier.standard !== 'iban') return { identifier, details: {} };
      const ibanCountry = identifier.iban.slice(0, 2);
      const { success, data, error } = bankDetails.safeParse(withoutIgnoredNames(sent));
      const { address, ...facts } = data ?? {};
      const details = {
        ...facts,
        country: facts.country ?? countryOfIban(ibanCountry),
        ...(address && { address: withCountry(address, facts.country) }),
      };
      for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', path: ['details', ...path], message });
      for (const [field, message] of success ? detailProblems(details) : [])
        context.addIssue({ code: 'custom', path: ['details', ...field.split('.')], message });
      const message = payeeProblem(ibanCountry);
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['identifier', 'iban'], message });
      return { identifier, details };
    });
  const described = z.union([
    z.object({ identifier: bank, details: describedDetails }).openapi('BankCounterpart', { description: 'A payee at a bank.' }),
    z
      .object({ identifier: chain, details: z.unknown().optional().openapi({ description: 'Ignored.' }) })
      .openapi('ChainCounterpart', { description: 'A payee on a chain.' }),
  ]);
  return describedAs(z.preprocess(withoutDetailsOfChain, counterpart), described).openapi('CounterpartRequest', {
    description: 'The payee.',
  });
}

/** A payment to a chain needs no details, so whatever a client sends as details is ignored. */
function withoutDetailsOfChain(value: unknown): unknown {
  const counterpart = value as { identifier?: { standard?: unknown } } | null | undefined;
  return counterpart?.identifier?.standard === 'chain' ? { identifier: counterpart.identifier } : value;
}

/** Beside a valid name, one that no payee can have is ignored, such as an empty `companyName` of a person (docs/api.md, Counterpart). */
function withoutIgnoredNames(details: z.infer<typeof payeeDetails>): z.infer<typeof payeeDetails> {
  const valid = new Set(Object.entries(details).flatMap(([field, text]) => (name.safeParse(text).success ? [field] : [])));
  if (!nameForms.some((form) => form.every((field) => valid.has(field)))) return details;
  return Object.fromEntries(Object.entries(details).filter(([field]) => valid.has(field) || !nameForms.flat().includes(field)));
}

/** The country that an IBAN says, if it is one. */
function countryOfIban(code: string): string | undefined {
  return countryProblem(code) === undefined ? code : undefined;
}

/** The country of an IBAN says nothing about where somebody lives. */
function withCountry(address: z.infer<typeof payeeAddress>, country = ''): PostalAddress {
  return { ...address, country: address.country ?? country };
}

/** What is missing of a payee's details: a bank needs a name, in one of three forms, and a country. */
function* detailProblems({
  firstName,
  lastName,
  companyName,
  name,
  country,
  address,
}: z.infer<typeof bankDetails>): Generator<[string, string]> {
  if (country === undefined) yield ['country', 'is required'];
  if (address?.country === '') yield ['address.country', 'is required, or else a country beside the address'];
  if (companyName !== undefined || name !== undefined) return;
  if (firstName === undefined) yield ['firstName', 'is required, or else companyName or name'];
  if (lastName === undefined) yield ['lastName', 'is required, or else companyName or name'];
  if (countCharacters(`${firstName} ${lastName}`) > maxNameLength)
    yield ['lastName', `must be at most ${maxNameLength} characters long together with firstName`];
}
