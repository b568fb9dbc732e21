import { createRoute, z } from '@hono/zod-openapi';
import { listCountries, riskCategories } from '../../ledger/customers/countries.ts';
import type { AddRoutes } from '../api.ts';
import { errorResponses, json, listSchema, openAccess } from '../http/responses.ts';

const riskSchema = z.enum(riskCategories);

const countrySchema = z
  .object({
    name: z.string().openapi({ description: 'The name of the country in English.' }),
    code: z.string().openapi({ description: 'The code of the country: two capitals (ISO 3166-1 alpha-2).' }),
    nationality: riskSchema.openapi({ description: 'Risk category of its citizens. `restricted` and `prohibited`: they are not served.' }),
    residency: riskSchema.openapi({
      description: 'Risk category of its residents. `restricted` and `prohibited`: they are not served, and no bank payment goes there.',
    }),
  })
  .openapi('Country', { description: 'A country with its risk categories.' });

/** `GET /countries` (docs/api.md, Countries); it needs no bearer token. */
export const addCountries: AddRoutes = (api, _, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/countries',
    ...openAccess('Countries'),
    operationId: 'listCountries',
    summary: 'List the countries with their risk categories',
    description:
      'Customers from a `restricted` or `prohibited` country, by nationality or by residency, are not served, and payments to its banks are not made: both are answered with ' +
      '`invalid_request`. It needs no bearer token.',
    middleware: guards.anyone,
    responses: { 200: json(listSchema('countries', countrySchema, 'All countries.'), 'All countries.'), ...errorResponses(406) },
  });
  const countries = listCountries();
  api.openapi(route, (context) => context.json({ countries, total: countries.length }, 200));
};
