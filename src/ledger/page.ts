import { type SelectQueryBuilder, sql } from 'kysely';
import { StopError } from '../platform/errors.ts';

/** Which part of a list is asked for. */
export interface PageRequest {
  /** At most so many; all of them when it is absent. */
  limit?: number | undefined;
  /** The cursor: what names the last row of the page before. */
  after?: string | undefined;
  /** Only what is not older than this. */
  from?: Date | undefined;
  /** Only what is older than this. */
  until?: Date | undefined;
}

/** How a list is sorted. Neither column of a row ever changes, so that no page loses or repeats a row when others come or go. */
export interface Sort {
  /** Column of the moment by which it is sorted. */
  at: string;
  /** Column that is the cursor, unique in the list: it decides between rows of the same moment. */
  cursor: string;
  direction: 'asc' | 'desc';
  /** What the cursor of the list is, in the text of a refusal: `an order of this profile`. */
  names: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a list may come from any tables
type Rows<Row> = SelectQueryBuilder<any, any, Row>;

/**
 * One page of the rows of `matching`, and how many of them there are in all, within the dates. The row that a cursor names is looked for
 * in `known`, which is not narrowed by filters: it may have ceased to fit them since its page was read. Throws `unknown_cursor`.
 */
export async function readPage<Row>(
  matching: Rows<Row>,
  known: Rows<unknown>,
  sort: Sort,
  { limit, after, from, until }: PageRequest,
): Promise<{ rows: Row[]; total: number }> {
  const { at, cursor, direction } = sort;
  const inTime = matching
    .$if(from !== undefined, (query) => query.where(sql.ref(at), '>=', from))
    .$if(until !== undefined, (query) => query.where(sql.ref(at), '<', until));
  let page = inTime.orderBy(sql.ref(at), direction).orderBy(sql.ref(cursor), direction);
  if (limit !== undefined) page = page.limit(limit);
  if (after !== undefined) {
    // Compared in SQL: a JavaScript date would lose the microseconds.
    const last = known
      .clearSelect()
      .where(sql.ref(cursor), '=', after)
      .select([sql.ref(at).as('at'), sql.ref(cursor).as('cursor')]);
    if (!(await last.executeTakeFirst()))
      throw new StopError({ code: 'unknown_cursor', message: 'Validation errors', fields: { after: `is not ${sort.names}` } });
    page = page.where(sql<boolean>`(${sql.ref(at)}, ${sql.ref(cursor)}) ${sql.raw(direction === 'asc' ? '>' : '<')} ${last}`);
  }
  const rows = await page.execute();
  if (limit === undefined && after === undefined) return { rows, total: rows.length };
  const count = inTime.clearSelect().select((select) => select.fn.countAll<bigint>().as('total'));
  const { total } = await count.executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
