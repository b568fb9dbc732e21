import { createRoute, z } from '@hono/zod-openapi';
import { listCountries, riskCategories } from '../../ledger/customers/countries.ts';
import type { AddRoutes } from '../api.ts';
import { errorResponses, json, listSchema } from '../http/responses.ts';

const riskSchema = z.enum(riskCategories);

const countrySchema = z
  .object({
    name: z.string(),
    code: z.string().openapi({ description: 'ISO 3166-1 alpha-2' }),
    nationality: riskSchema.openapi({ description: 'risk of its citizens' }),
    residency: riskSchema.openapi({ description: 'risk of its residents' }),
  })
  .openapi('Country');

/** `GET /countries` (docs/api.md, Countries); it needs no bearer token. */
export const addCountries: AddRoutes = (api, _, guards) => {
  const route = createRoute({
    method: 'get',
    path: '/countries',
    tags: ['Countries'],
    summary: 'List all countries with the risk of customers from them',
    middleware: guards.anyone,
    responses: { 200: json(listSchema('countries', countrySchema), 'The countries'), ...errorResponses(406) },
  });
  const countries = listCountries();
  api.openapi(route, (context) => context.json({ countries, total: countries.length }, 200));
};
