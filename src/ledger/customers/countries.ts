import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** How much risk a customer from a country is (docs/api.md, Countries). Nobody from the last two is served. */
export const riskCategories = ['low', 'medium', 'high', 'restricted', 'prohibited'] as const;

const risk = z.enum(riskCategories);

/** A country (docs/api.md, Countries): the risk of its citizens and the risk of those who live there. */
const country = z.object({ name: z.string().min(1), code: z.string().regex(/^[A-Z]{2}$/), nationality: risk, residency: risk });

export type Country = z.infer<typeof country>;

/**
 * Every entry of ISO 3166-1, by code. The categories are a default that the operator must own: prohibited is what the FATF
 * calls to act against, restricted is what sanctions and wars leave no way to check, high is what the FATF monitors or the
 * European Commission lists, low is the European Economic Area and its peers, and medium the rest.
 */
const countries = new Map(
  z
    .array(country)
    .parse(JSON.parse(readFileSync(new URL('./countries.json', import.meta.url), 'utf8')))
    .map((entry) => [entry.code, entry]),
);

/** All countries, in the order of their codes. */
export function listCountries(): Country[] {
  return [...countries.values()];
}

/** What speaks against a country code: it does not exist, or nobody from there is served. `undefined` when nothing does. */
export function countryProblem(code: string, as?: 'nationality' | 'residency'): string | undefined {
  const found = countries.get(code);
  if (!found) return 'is not a country code of ISO 3166-1 alpha-2';
  return as === undefined ? undefined : riskProblem(found, as);
}

/**
 * What speaks against paying to an account of a country. A code without an entry, such as XK of an IBAN from Kosovo, is not
 * on any list.
 */
export function payeeProblem(code: string): string | undefined {
  const found = countries.get(code);
  return found && riskProblem(found, 'residency');
}

function riskProblem(found: Country, as: 'nationality' | 'residency'): string | undefined {
  const category = found[as];
  if (category !== 'restricted' && category !== 'prohibited') return undefined;
  return `is ${category}: ${found.name} (${found.code}) is not served (${as})`;
}
