import { z } from '@hono/zod-openapi';
import { countryProblem } from '../../ledger/customers/countries.ts';

/** Two letters in any case; with `as`, a country from which customers are served (docs/api.md, Countries). */
export function country(as?: 'nationality' | 'residency') {
  return z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'must be a two-letter country code')
    .transform((given, context) => {
      const code = given.toUpperCase();
      const message = countryProblem(code, as);
      if (message === undefined) return code;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .openapi({ type: 'string', example: 'IS' });
}
