import { z } from 'zod';
import type { Ledger } from '../ledger/ledger.ts';
import type { OperatorRole } from '../schema/states.ts';

/** What a cell of a table for people is made from: each door writes times, counts and what is not there in its own way. */
type Cell = string | number | Date | null;

/** A list that operators read, on a page of the console and by a command (docs/verbs.md). */
export interface View<Schema extends z.ZodObject = z.ZodObject, Row = unknown> {
  /** Room and list, such as `bank.payments`. */
  name: string;
  /** What is listed, in which order: the help of its command. */
  summary: string;
  /** The command that prints it, such as `payments list`. */
  command: string;
  /** Who may read it in the console. */
  roles: readonly OperatorRole[];
  /** What may be chosen, each an option of the command. A field `after` is the {@link keyOf} of the last row of the page before. */
  input: Schema;
  /** Rows that a command prints, usually and at most. Not set where all are listed, because there are few. */
  limit?: { usual: number; most: number };
  /** Reads the rows, at most `limit`, as both doors write them in JSON: an amount is decimal text. Some say how many there are on all pages together. */
  read: (ledger: Ledger, input: z.output<Schema> & { limit: number }) => Promise<readonly Row[] | Counted<Row>>;
  /** Names a row, to ask for those after it. Not set where a list begins at its first row only. */
  keyOf?: (row: Row) => string;
  /** The columns of the table that a command prints, by what is written above them. */
  columns: Readonly<Record<string, (row: Row) => Cell>>;
  /** What is said when there is nothing to list. */
  empty: string;
}

/** Rows, and how many there are on all pages together; of very many an estimate. */
interface Counted<Row> {
  rows: readonly Row[];
  total: number;
  isTotalEstimated: boolean;
}

/** A page of a view. */
export interface ViewPage<Row> {
  rows: Row[];
  hasMore: boolean;
  /** The `after` of the next page; absent on the last one, and where a list begins at its first row only. */
  next: string | undefined;
  /** How many there are on all pages together, where the view says it. */
  total: number | undefined;
  isTotalEstimated: boolean;
}

/** Defines a view. The types of its input and its rows reach the browser. */
export function defineView<Schema extends z.ZodObject, Row>(view: View<Schema, Row>): View<Schema, Row> {
  return view;
}

/** The first `limit` rows of a view. */
export async function readView<Schema extends z.ZodObject, Row>(
  view: View<Schema, Row>,
  ledger: Ledger,
  input: z.output<Schema>,
  limit: number,
): Promise<ViewPage<Row>> {
  const read = await view.read(ledger, { ...input, limit: limit + 1 });
  const counted = 'rows' in read ? read : { rows: read, total: undefined, isTotalEstimated: false };
  const rows = counted.rows.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = counted.rows.length > rows.length;
  return { ...counted, rows, hasMore, next: hasMore && last !== undefined ? view.keyOf?.(last) : undefined };
}

/** One of these values or several: a page asks for one, a command for any number. */
export function anyOf<const Value extends string>(values: readonly [Value, ...Value[]]) {
  const asList = (value: Value | Value[] | undefined) => (Array.isArray(value) || value === undefined ? value : [value]);
  return z.preprocess(asList, z.array(z.enum(values)));
}
