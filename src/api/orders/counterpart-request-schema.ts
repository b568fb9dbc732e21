import { z } from '@hono/zod-openapi';
import { payeeProblem } from '../../ledger/customers/countries.ts';
import type { Settings } from '../../platform/settings.ts';
import { countrySchema } from '../customers/country-schema.ts';
import * as input from '../../wire/input-fields.ts';
import { countCharacters } from '../../wire/text.ts';

/** A creditor's name in SEPA. */
const maxName = 70;

const name = input.characters(2, maxName);

const details = z
  .object({
    firstName: name.optional(),
    lastName: name.optional(),
    companyName: name.optional(),
    name: name.optional(),
    country: countrySchema('residency').optional(),
  })
  .openapi({ description: 'of a bank account: firstName, lastName and country, or companyName and country, or name and country' });

/** Whom an order pays (docs/api.md, Counterpart). */
export function counterpartRequest(settings: Settings) {
  const identifier = z.discriminatedUnion('standard', [
    z.object({ standard: z.literal('iban'), iban: input.iban }),
    z.object({ standard: z.literal('chain'), address: input.address, chain: input.chain(settings) }),
  ]);
  const counterpart = z.object({ identifier, details: details.default({}) }).superRefine(({ identifier, details }, context) => {
    if (identifier.standard !== 'iban') return;
    for (const [field, message] of detailProblems(details)) context.addIssue({ code: 'custom', path: ['details', field], message });
    const message = payeeProblem(identifier.iban.slice(0, 2));
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['identifier', 'iban'], message });
  });
  return z.preprocess(withoutChainDetails, counterpart).openapi('CounterpartRequest');
}

/** A payment to a chain needs no details, so whatever a client sends there is not looked at (docs/api.md, Counterpart). */
function withoutChainDetails(given: unknown): unknown {
  const counterpart = given as { identifier?: { standard?: unknown } } | null | undefined;
  return counterpart?.identifier?.standard === 'chain' ? { identifier: counterpart.identifier } : given;
}

/** What a bank must know of a payee: a name in one of three forms, and a country. */
function* detailProblems({ firstName, lastName, companyName, name, country }: z.infer<typeof details>): Generator<[string, string]> {
  if (country === undefined) yield ['country', 'is required'];
  if (companyName !== undefined || name !== undefined) return;
  if (firstName === undefined) yield ['firstName', 'is required, or else companyName or name'];
  if (lastName === undefined) yield ['lastName', 'is required, or else companyName or name'];
  if (countCharacters(`${firstName} ${lastName}`) > maxName)
    yield ['lastName', `must be at most ${maxName} characters long together with firstName`];
}
