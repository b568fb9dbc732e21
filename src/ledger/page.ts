import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { StopError } from '../platform/errors.ts';
import type { Ledger } from './ledger.ts';

/** Rows that are read at once, and held in memory together. */
const chunkRows = 500;

/**
 * Rows of a page for which no limit is asked. Clients of this API family do not page, so it is far more than nearly every customer has. So many
 * orders take 0.7 s on two busy cores; ten such answers and ten to a partner with 400,000 profiles take 65 MB together (`npm run bench -- lists`).
 */
const unpagedRows = 10_000;

/** Rows that are counted for the total of a page: some milliseconds, though each may be in a page of its own. More are estimated. */
export const countedRows = 1_000;

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
  /** Whether all rows are counted, however many there are. */
  isTotalExact?: boolean | undefined;
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
  /** Whether `total` is the planner's estimate: more than {@link countedRows} match, and the page has not all of them. */
  isTotalEstimated: boolean;
  /** The cursor after which the next page begins; absent on the last page. */
  next?: string | undefined;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a list may come from any tables
type Rows<Row> = SelectQueryBuilder<any, any, Row>;

type Queries<Row> = [Rows<Row>, ...Rows<Row>[]];

/** The rows of a list, all of one kind. */
export interface Listed<Row> {
  /** Queries of the rows that match. No row matches two of them, and an index has the rows of each in the order of the list. */
  matching: Queries<Row>;
  /** All rows whose cursors are valid: that of a cursor may no longer match. */
  known: Rows<unknown>;
  sort: Sort;
}

/**
 * Reads one page of a list, and how many rows it has within the dates. Rows that come while the rest is read are left out if they sort behind the
 * row with which the next page begins. Throws `unknown_cursor`.
 */
export async function readPage<Row>(ledger: Ledger, listed: Listed<Row>, request: PageRequest): Promise<Page<Row>> {
  const { limit = unpagedRows, after, from, until, isTotalExact = false } = request;
  const { sort } = listed;
  const at = sql.ref(sort.at);
  const matching = each(listed.matching, (query) =>
    query
      .$if(from !== undefined, (later) => later.where(at, '>=', from))
      .$if(until !== undefined, (earlier) => earlier.where(at, '<', until)),
  );
  const list: Listed<Row> = { ...listed, matching };
  if (after !== undefined) await requireCursor(list, after);
  const rows = await readRows(ledger, list, { after, limit: Math.min(limit, chunkRows) + 1 });
  const isWhole = rows.length <= Math.min(limit, chunkRows);
  if (isWhole && after === undefined) return { rows, total: rows.length, isTotalEstimated: false };
  const mostCounted = isTotalExact ? Infinity : countedRows;
  if (isWhole) return { rows, ...(await totalOf(ledger, list, mostCounted)) };
  rows.pop();
  const end = cursorOf(rows.at(-1), sort);
  if (limit <= chunkRows) return { rows, ...(await totalOf(ledger, list, mostCounted)), next: end };
  const last = await readRows(ledger, list, { after, limit: 2, skip: limit - 1 });
  const next = last.length === 2 ? cursorOf(last[0], sort) : undefined;
  const hasAll = next === undefined && after === undefined;
  const totals = await totalOf(ledger, list, hasAll ? Math.max(mostCounted, limit) : mostCounted);
  return { rows, ...totals, next, rest: readRest(ledger, list, end, next) };
}

/** The page with each of its rows turned into something else. */
export function mapPage<Row, Item>({ rows, rest, ...page }: Page<Row>, map: (row: Row) => Item): Page<Item> {
  return { rows: rows.map(map), ...page, rest: rest && mapChunks(rest, map) };
}

async function* mapChunks<Row, Item>(chunks: AsyncIterable<Row[]>, map: (row: Row) => Item): AsyncGenerator<Item[]> {
  for await (const rows of chunks) yield rows.map(map);
}

interface Range {
  after: string | undefined;
  /** The cursor of the last row. */
  upTo?: string | undefined;
  limit: number;
  skip?: number;
}

async function readRows<Row>(ledger: Ledger, list: Listed<Row>, { after, upTo, limit, skip = 0 }: Range): Promise<Row[]> {
  const { at, cursor, direction } = list.sort;
  const [forwards, backwards] = direction === 'asc' ? ['>', '<='] : ['<', '>='];
  // Compared in SQL: a JavaScript date would lose the microseconds.
  const compare = (operator: string, to: string) =>
    sql<boolean>`(${sql.ref(at)}, ${sql.ref(cursor)}) ${sql.raw(operator)} ${rowOf(list, to)}`;
  const matching = each(list.matching, (query) =>
    query
      .$if(after !== undefined, (behind) => behind.where(compare(forwards, after as string)))
      .$if(upTo !== undefined, (before) => before.where(compare(backwards, upTo as string))),
  );
  return firstRows(ledger, { matching, sort: list.sort }, limit + skip)
    .$if(skip > 0, (query) => query.limit(limit).offset(skip))
    .execute();
}

/**
 * The first rows of all queries together. Each query is limited by itself, so that no plan reads more than `limit` matching rows of each, whatever the
 * planner expects: it would else read all of them to sort them.
 */
export function firstRows<Row>(
  ledger: Ledger,
  { matching, sort: { at, cursor, direction } }: { matching: Queries<Row>; sort: Omit<Sort, 'cursorMeaning'> },
  limit: number,
): Rows<Row> {
  const parts = each(matching, (query) => query.orderBy(sql.ref(at), direction).orderBy(sql.ref(cursor), direction).limit(limit));
  if (parts.length === 1) return parts[0];
  return (ledger.selectFrom(sql<Row>`(${sql.join(parts, sql` union all `)})`.as('parts')) as Rows<object>)
    .selectAll()
    .orderBy(sql.ref(columnOf(at)), direction)
    .orderBy(sql.ref(columnOf(cursor)), direction)
    .limit(limit) as Rows<Row>;
}

async function* readRest<Row>(ledger: Ledger, list: Listed<Row>, start: string, upTo: string | undefined): AsyncGenerator<Row[]> {
  for (let after = start; ;) {
    const rows = await readRows(ledger, list, { after, upTo, limit: chunkRows });
    if (rows.length > 0) yield rows;
    if (rows.length < chunkRows) return;
    after = cursorOf(rows.at(-1), list.sort);
  }
}

/** Counts the rows, and estimates them when they are more than `mostCounted`. */
async function totalOf(
  ledger: Ledger,
  { matching, sort }: Listed<unknown>,
  mostCounted: number,
): Promise<Pick<Page<unknown>, 'total' | 'isTotalEstimated'>> {
  // Named apart: the time and the cursor may be the same column.
  const queries = each(matching, (query) =>
    query.clearSelect().select([sql.ref(sort.at).as('sortedAt'), sql.ref(sort.cursor).as('sortedBy')]),
  );
  const all = sql.join(queries, sql` union all `);
  // In the order of the list, for which there is an index: the planner may look for so many in the whole table otherwise.
  const ofList = { matching: queries, sort: { at: 'sortedAt', cursor: 'sortedBy', direction: sort.direction } };
  const counted = mostCounted === Infinity ? sql`(${all})` : firstRows(ledger, ofList, mostCounted + 1);
  const { rows } = await sql<{ count: number }>`select count(*)::float8 as count from ${counted} rows`.execute(ledger);
  const count = rows[0]?.count ?? 0;
  if (count <= mostCounted) return { total: count, isTotalEstimated: false };
  return { total: Math.max(count, await estimateRows(ledger, all)), isTotalEstimated: true };
}

/** How many rows the planner expects of a query. */
async function estimateRows(ledger: Ledger, query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<Record<string, [{ Plan: { 'Plan Rows': number } }]>>`explain (format json) ${query}`.execute(ledger);
  const [plan] = Object.values(rows[0] ?? {});
  return plan?.[0].Plan['Plan Rows'] ?? 0;
}

async function requireCursor(list: Listed<unknown>, after: string): Promise<void> {
  if (await rowOf(list, after).executeTakeFirst()) return;
  throw new StopError({ code: 'unknown_cursor', message: 'Validation errors', fields: { after: `is not ${list.sort.cursorMeaning}` } });
}

function rowOf({ known, sort: { at, cursor } }: Listed<unknown>, value: string) {
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

function each<From, To>([first, ...others]: Queries<From>, turn: (query: Rows<From>) => Rows<To>): Queries<To> {
  return [turn(first), ...others.map(turn)];
}

/** A row has its cursor under the name of the column. */
function cursorOf(row: unknown, { cursor }: Sort): string {
  return (row as Record<string, string>)[columnOf(cursor)] as string;
}

/** The name of a column without its table's. */
function columnOf(reference: string): string {
  return reference.slice(reference.indexOf('.') + 1);
}
