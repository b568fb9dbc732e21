import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The risk of a customer from a country (docs/api.md, Countries). Customers from restricted and prohibited countries are not served. */
export const riskCategories = ['low', 'medium', 'high', 'restricted', 'prohibited'] as const;

const risk = z.enum(riskCategories);

/** A country (docs/api.md, Countries): the risk of its citizens and the risk of those who live there. */
const countrySchema = z.object({ name: z.string().min(1), code: z.string().regex(/^[A-Z]{2}$/), nationality: risk, residency: risk });

/** A country with its ISO 3166-1 alpha-2 code and the risk categories of its nationals and residents. */
export type Country = z.infer<typeof countrySchema>;

/**
 * Every entry of ISO 3166-1, and Kosovo, by code: passports, banks and IBANs have XK, which ISO leaves to its users. The categories are a default for which the operator is responsible: prohibited are the countries that
 * the FATF calls to act against, restricted those where sanctions or wars make checks impossible, high those that the FATF monitors or the
 * European Commission lists, low the European Economic Area and its peers, and medium the rest.
 */
const countries = new Map(
  z
    .array(countrySchema)
    .parse(JSON.parse(readFileSync(new URL('./countries.json', import.meta.url), 'utf8')))
    .map((entry) => [entry.code, entry]),
);

/** All countries, in the order of their codes. */
export function listCountries(): Country[] {
  return [...countries.values()];
}

/** Why a country code cannot be accepted: it does not exist, or nobody from there is served. `undefined` when it can. */
export function countryProblem(code: string, as?: 'nationality' | 'residency'): string | undefined {
  const country = countries.get(code);
  if (!country) return 'is not a country code of ISO 3166-1 alpha-2';
  return as === undefined ? undefined : riskProblem(country, as);
}

/**
 * Why no payment goes to an account of a country; `undefined` when one may. A code without an entry is on no list and
 * therefore accepted.
 */
export function payeeProblem(code: string): string | undefined {
  const country = countries.get(code);
  return country && riskProblem(country, 'residency');
}

function riskProblem(country: Country, as: 'nationality' | 'residency'): string | undefined {
  const category = country[as];
  if (category !== 'restricted' && category !== 'prohibited') return undefined;
  return `is ${category}: ${country.name} (${country.code}) is not served (${as})`;
}
