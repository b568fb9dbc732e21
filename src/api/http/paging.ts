import { z } from '@hono/zod-openapi';
import { countedRows, type PageRequest } from '../../ledger/page.ts';
import { parseTimestamp, timestampPattern } from '../../ledger/timestamp.ts';
import type { Settings } from '../../platform/settings.ts';
import { query } from './query.ts';
import * as input from '../../wire/input-fields.ts';

/** Items of the largest page (docs/api.md, Paging). */
const maxLimit = 500;

/** The query parameter `limit`: the size of a page. */
const limit = z
  .string()
  .regex(/^(?:0|[1-9]\d*)$/, 'must be a whole number, in digits')
  .transform(Number)
  .pipe(z.number().min(1).max(maxLimit))
  .openapi({ type: 'integer', minimum: 1, maximum: maxLimit, description: `How many items a page has, 1 to ${maxLimit}.` });

/** The query parameter `total`. */
const totalMode = z.enum(['exact']).openapi({
  description: `\`exact\` counts all items that match, however long it takes. Without it more than ${countedRows.toLocaleString('en')} are estimated.`,
});

/** A point in time in a query, RFC 3339. */
const moment = z
  .string()
  .transform((text, context) => {
    const milliseconds = parseTimestamp(text);
    if (milliseconds !== undefined) return new Date(milliseconds);
    context.addIssue({ code: 'custom', message: 'must be a time as in RFC 3339, such as 2026-01-31T12:00:00Z, with + written as %2B' });
    return z.NEVER;
  })
  .openapi({ type: 'string', pattern: timestampPattern.source, description: 'A time, RFC 3339 with `Z` or an offset.' });

/**
 * The query parameters of a list: pages of `limit` items, each `after` the last item of the page before, and a range of the time by
 * which it is sorted, such as `placedAfter` (inclusive) and `placedBefore` (exclusive): adjacent ranges share no item.
 */
export function paging<Cursor extends z.ZodType<string | undefined>, const Time extends string>(cursor: Cursor, time: Time) {
  const dates = {
    [`${time}After`]: moment.optional().openapi({ description: `Only what was ${time} at this time or later (RFC 3339).` }),
    [`${time}Before`]: moment.optional().openapi({ description: `Only what was ${time} before this time (RFC 3339).` }),
  } as Record<`${Time}After` | `${Time}Before`, z.ZodOptional<typeof moment>>;
  return { limit: limit.optional(), after: cursor, total: totalMode.optional(), ...dates };
}

/** The query of a list of a profile's items on chains: the profile, the chain, and {@link paging}. */
export function profileListQuery<Cursor extends z.ZodType<string | undefined>, const Time extends string>(
  settings: Settings,
  cursor: Cursor,
  time: Time,
) {
  return query(
    z.object({
      profile: input.profile.optional(),
      chain: input.chain(settings).optional().openapi({ description: 'Only items on this chain.' }),
      ...paging(cursor, time),
    }),
  );
}

/** The page that a query asks for, of a list whose {@link paging} has the same `time`. */
export function pageRequest<Time extends string>(
  query: { limit?: number | undefined; after?: string | undefined; total?: 'exact' | undefined } & {
    [Name in `${Time}After` | `${Time}Before`]?: Date | undefined;
  },
  time: Time,
): PageRequest {
  const { limit: size, after, total } = query;
  const dates = query as Record<string, unknown> as Record<string, Date | undefined>;
  return { limit: size, after, from: dates[`${time}After`], until: dates[`${time}Before`], isTotalExact: total === 'exact' };
}
