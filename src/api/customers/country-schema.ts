import { z } from '@hono/zod-openapi';
import { countryProblem } from '../../ledger/customers/countries.ts';

/** A country code in any case, parsed to capitals; with `as`, of a country from which customers are served (docs/api.md, Countries). */
export function countrySchema(as?: 'nationality' | 'residency') {
  return z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'must be a two-letter country code')
    .transform((value, context) => {
      const code = value.toUpperCase();
      const message = countryProblem(code, as);
      if (message === undefined) return code;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .openapi({ type: 'string', description: 'The code of a country: two letters (ISO 3166-1 alpha-2).' });
}
