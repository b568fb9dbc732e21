import { type SelectQueryBuilder, sql } from 'kysely';
import { StopError } from '../platform/errors.ts';

/** Which page of a list to read. */
export interface PageRequest {
  /** The most rows of the page; without it, all of them. */
  limit?: number | undefined;
  /** The cursor of the last row of the page before. */
  after?: string | undefined;
  /** Only rows of this time or later. */
  from?: Date | undefined;
  /** Only rows before this time. */
  until?: Date | undefined;
}

/** How a list is sorted. Neither column may ever change in a row: then no page loses or repeats a row while others are added or removed. */
export interface Sort {
  /** The column with the time by which the list is sorted. */
  at: string;
  /** The column that is the cursor. It is unique in the list and decides the order of rows of the same time. */
  cursor: string;
  direction: 'asc' | 'desc';
  /** What a cursor of the list stands for, in the text of an error: `an order of this profile`. */
  cursorMeaning: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a list may come from any tables
type Rows<Row> = SelectQueryBuilder<any, any, Row>;

/**
 * Reads one page of the rows of `matching`, and how many rows it has within the dates. The row of the cursor is looked up in `known`, which
 * has no filters, because that row may no longer match them. Throws `unknown_cursor`.
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
      throw new StopError({ code: 'unknown_cursor', message: 'Validation errors', fields: { after: `is not ${sort.cursorMeaning}` } });
    page = page.where(sql<boolean>`(${sql.ref(at)}, ${sql.ref(cursor)}) ${sql.raw(direction === 'asc' ? '>' : '<')} ${last}`);
  }
  const rows = await page.execute();
  if (limit === undefined && after === undefined) return { rows, total: rows.length };
  const count = inTime.clearSelect().select((select) => select.fn.countAll<bigint>().as('total'));
  const { total } = await count.executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
