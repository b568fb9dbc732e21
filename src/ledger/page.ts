import { type SelectQueryBuilder, sql } from 'kysely';
import { StopError } from '../platform/errors.ts';

/** Rows that are read at once, and held in memory together. */
export const chunkRows = 500;

/**
 * Rows of a page for which no limit is asked. Clients of this API family do not page, so it is far more than nearly every customer has. So many
 * orders take 0.7 s on two busy cores; ten such answers and ten to a partner with 400,000 profiles take 65 MB together (`npm run bench -- lists`).
 */
export const unpagedRows = 10_000;

/** Which page of a list to read. */
export interface PageRequest {
  /** The most rows of the page; {@link unpagedRows} by default. */
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

/** A page of a list. */
export interface Page<Row> {
  /** Its first rows, {@link chunkRows} at most. */
  rows: Row[];
  /** Its further rows, chunk by chunk, each read when it is asked for; absent when `rows` is the whole page. */
  rest?: AsyncIterable<Row[]> | undefined;
  /** How many rows match, on all pages together. */
  total: number;
  /** The cursor after which the next page begins; absent on the last page. */
  next?: string | undefined;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a list may come from any tables
type Rows<Row> = SelectQueryBuilder<any, any, Row>;

/**
 * Reads one page of the rows of `matching`, and how many rows it has within the dates. The row of a cursor is looked up in `known`, which
 * has no filters, because that row may no longer match them. Rows that come while the rest is read are left out if they sort behind the
 * row with which the next page begins. Throws `unknown_cursor`.
 */
export async function readPage<Row>(
  matching: Rows<Row>,
  known: Rows<unknown>,
  sort: Sort,
  { limit = unpagedRows, after, from, until }: PageRequest,
): Promise<Page<Row>> {
  const at = sql.ref(sort.at);
  const inTime = matching
    .$if(from !== undefined, (query) => query.where(at, '>=', from))
    .$if(until !== undefined, (query) => query.where(at, '<', until));
  if (after !== undefined) await requireCursor(known, sort, after);
  const list: SortedList<Row> = { inTime, known, sort };
  const rows = await readRows(list, { after, limit: Math.min(limit, chunkRows) + 1 });
  const isWhole = rows.length <= Math.min(limit, chunkRows);
  const total = isWhole && after === undefined ? rows.length : await countRows(inTime);
  if (isWhole) return { rows, total };
  rows.pop();
  if (limit <= chunkRows) return { rows, total, next: cursorOf(rows.at(-1), sort) };
  const last = await readRows(list, { after, limit: 2, skip: limit - 1 });
  const next = last.length === 2 ? cursorOf(last[0], sort) : undefined;
  return { rows, total, next, rest: readRest(list, cursorOf(rows.at(-1), sort), next) };
}

/** The page with each of its rows turned into something else. */
export function mapPage<Row, Item>({ rows, rest, ...page }: Page<Row>, map: (row: Row) => Item): Page<Item> {
  return { rows: rows.map(map), ...page, rest: rest && mapChunks(rest, map) };
}

async function* mapChunks<Row, Item>(chunks: AsyncIterable<Row[]>, map: (row: Row) => Item): AsyncGenerator<Item[]> {
  for await (const rows of chunks) yield rows.map(map);
}

interface SortedList<Row> {
  inTime: Rows<Row>;
  known: Rows<unknown>;
  sort: Sort;
}

interface Range {
  after: string | undefined;
  /** The cursor of the last row. */
  upTo?: string | undefined;
  limit: number;
  skip?: number;
}

async function readRows<Row>({ inTime, known, sort }: SortedList<Row>, { after, upTo, limit, skip = 0 }: Range): Promise<Row[]> {
  const { at, cursor, direction } = sort;
  const [forwards, backwards] = direction === 'asc' ? ['>', '<='] : ['<', '>='];
  // Compared in SQL: a JavaScript date would lose the microseconds.
  const compare = (operator: string, to: string) =>
    sql<boolean>`(${sql.ref(at)}, ${sql.ref(cursor)}) ${sql.raw(operator)} ${rowOf(known, sort, to)}`;
  return inTime
    .$if(after !== undefined, (query) => query.where(compare(forwards, after as string)))
    .$if(upTo !== undefined, (query) => query.where(compare(backwards, upTo as string)))
    .orderBy(sql.ref(at), direction)
    .orderBy(sql.ref(cursor), direction)
    .limit(limit)
    .$if(skip > 0, (query) => query.offset(skip))
    .execute();
}

async function* readRest<Row>(list: SortedList<Row>, start: string, upTo: string | undefined): AsyncGenerator<Row[]> {
  for (let after = start; ;) {
    const rows = await readRows(list, { after, upTo, limit: chunkRows });
    if (rows.length > 0) yield rows;
    if (rows.length < chunkRows) return;
    after = cursorOf(rows.at(-1), list.sort);
  }
}

async function countRows(rows: Rows<unknown>): Promise<number> {
  const { total } = await rows
    .clearSelect()
    .select((select) => select.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

async function requireCursor(known: Rows<unknown>, sort: Sort, after: string): Promise<void> {
  if (await rowOf(known, sort, after).executeTakeFirst()) return;
  throw new StopError({ code: 'unknown_cursor', message: 'Validation errors', fields: { after: `is not ${sort.cursorMeaning}` } });
}

function rowOf(known: Rows<unknown>, { at, cursor }: Sort, value: string) {
  return (
    known
      .clearSelect()
      .where(sql.ref(cursor), '=', value)
      .select([sql.ref(at).as('at'), sql.ref(cursor).as('cursor')])
      // A request that failed and its repetition may share a cursor.
      .orderBy(sql.ref(at), 'desc')
      .limit(1)
  );
}

/** A row has its cursor under the name of the column. */
function cursorOf(row: unknown, { cursor }: Sort): string {
  return (row as Record<string, string>)[cursor.slice(cursor.indexOf('.') + 1)] as string;
}
