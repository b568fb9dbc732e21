import { z } from '@hono/zod-openapi';
import { countryProblem, payeeProblem } from '../../ledger/customers/countries.ts';
import type { Settings } from '../../platform/settings.ts';
import { countrySchema } from '../customers/country-schema.ts';
import * as input from '../../wire/input-fields.ts';
import { countCharacters } from '../../wire/text.ts';

/** Length of a payee's name in SEPA. */
const maxNameLength = 70;

const name = input.characters(2, maxNameLength);

/** The forms of a payee's name, each of fields that belong together. */
const nameForms = [['firstName', 'lastName'], ['companyName'], ['name']];

const detailsSchema = z
  .object({
    firstName: name
      .optional()
      .openapi({ description: 'First name of a person, 2 to 70 characters; together with the last name at most 70.' }),
    lastName: name.optional().openapi({ description: 'Last name of a person, 2 to 70 characters.' }),
    companyName: name.optional().openapi({ description: 'Name of a company, 2 to 70 characters.' }),
    name: name.optional().openapi({ description: 'Name of a person or a company, 2 to 70 characters.' }),
    country: countrySchema('residency').optional().openapi({
      description: 'Country of residence (ISO 3166-1 alpha-2). Without it, the country of the IBAN.',
    }),
  })
  .openapi({
    description: 'Required for a bank account: `firstName` and `lastName`, or `companyName`, or `name`. Ignored for a chain.',
  });

/** The payee of an order (docs/api.md, Counterpart). */
export function counterpartRequestSchema(settings: Settings) {
  const identifier = z
    .discriminatedUnion('standard', [
      z
        .object({
          standard: z.literal('iban').openapi({ description: 'Pays to a bank account; euro only within SEPA.' }),
          iban: input.iban,
        })
        .openapi('IbanPayee', { description: 'A bank account that is paid.' }),
      z
        .object({
          standard: z.literal('chain').openapi({ description: 'Pays tokens to an address on a chain.' }),
          address: input.address.openapi({
            description:
              'An address: `0x` and 40 hexadecimal digits. In mixed case it must be the EIP-55 checksum form, unless it is linked to a profile of the caller.',
          }),
          chain: input.chain(settings),
        })
        .openapi('ChainPayee', { description: 'An address that is paid.' }),
    ])
    .openapi('PayeeIdentifier', { description: 'The bank account or the address that is paid.' });
  const counterpart = z.object({ identifier, details: detailsSchema.default({}) }).transform(({ identifier, details: given }, context) => {
    if (identifier.standard !== 'iban') return { identifier, details: given };
    const ibanCountry = identifier.iban.slice(0, 2);
    const details = { ...given, country: given.country ?? countryOfIban(ibanCountry) };
    for (const [field, message] of detailProblems(details)) context.addIssue({ code: 'custom', path: ['details', field], message });
    const message = payeeProblem(ibanCountry);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['identifier', 'iban'], message });
    return { identifier, details };
  });
  return z.preprocess(withoutIgnoredDetails, counterpart).openapi('CounterpartRequest', { description: 'The payee.' });
}

/**
 * A payment to a chain needs no details, so whatever a client sends as details is ignored. So is a name beside a valid one that no payee can have, such as
 * an empty `companyName` of a person (docs/api.md, Counterpart).
 */
function withoutIgnoredDetails(value: unknown): unknown {
  const counterpart = value as { identifier?: { standard?: unknown }; details?: unknown } | null | undefined;
  if (counterpart?.identifier?.standard === 'chain') return { identifier: counterpart.identifier };
  const details = counterpart?.details;
  if (typeof details !== 'object' || details === null) return value;
  const valid = new Set(Object.entries(details).flatMap(([field, given]) => (name.safeParse(given).success ? [field] : [])));
  if (!nameForms.some((form) => form.every((field) => valid.has(field)))) return value;
  const kept = Object.entries(details).filter(([field]) => valid.has(field) || !nameForms.flat().includes(field));
  return { ...counterpart, details: Object.fromEntries(kept) };
}

/** The country that an IBAN says; not by a code that ISO 3166-1 does not have, such as XK of Kosovo. */
function countryOfIban(code: string): string | undefined {
  return countryProblem(code) === undefined ? code : undefined;
}

/** What is missing of a payee's details: a bank needs a name, in one of three forms, and a country. */
function* detailProblems({ firstName, lastName, companyName, name, country }: z.infer<typeof detailsSchema>): Generator<[string, string]> {
  if (country === undefined) yield ['country', 'is required'];
  if (companyName !== undefined || name !== undefined) return;
  if (firstName === undefined) yield ['firstName', 'is required, or else companyName or name'];
  if (lastName === undefined) yield ['lastName', 'is required, or else companyName or name'];
  if (countCharacters(`${firstName} ${lastName}`) > maxNameLength)
    yield ['lastName', `must be at most ${maxNameLength} characters long together with firstName`];
}
