import { Hono } from 'hono';
import type { JSONParsed } from 'hono/utils/types';
import { z } from 'zod';
import { readView, type View } from '../../operations/view.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { requireRole } from './require-session.ts';
import { validated } from './validated.ts';

/** Rows of a page at most, and usually where the list can go on behind them. */
const pageSize = 50;
const mostListed = 200;

/** What the browser asks a view for, and is answered. */
type ViewEndpoints<Schema extends z.ZodObject, Row> = {
  '/': {
    $get: {
      input: { query: z.input<Schema> & { limit?: string } };
      output: { rows: JSONParsed<Row>[]; hasMore: boolean; next?: string; total?: number; isTotalEstimated: boolean };
      outputFormat: 'json';
      status: 200;
    };
  };
};

/** The route of a view, for its roles: a page of its rows, whether there are more, and `next`, the `after` of the next page. */
export function viewRoute<Schema extends z.ZodObject, Row>(view: View<Schema, Row>) {
  const limit = z.coerce
    .number()
    .int()
    .min(1)
    .max(mostListed)
    .default(view.keyOf === undefined ? mostListed : pageSize);
  const query = validated('query', view.limit === undefined ? view.input : view.input.extend({ limit }));
  const route = new Hono<ConsoleEnv>().get('/', requireRole(...view.roles), query, async (context) => {
    const input = context.req.valid('query') as z.output<Schema> & { limit?: number };
    const page = await readView(view, context.var.ledger, input, input.limit ?? Infinity);
    return context.json(page as object, 200);
  });
  return route as unknown as Hono<ConsoleEnv, ViewEndpoints<Schema, Row>>;
}
