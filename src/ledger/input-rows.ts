import { type RawBuilder, sql } from 'kysely';

/**
 * SQL: the rows that a statement works on, as a table with columns such as `reference text, booked_on date`: `bookedOn` of a row is its `booked_on`, and what has no column is
 * left out. A bigint may be a column, and not within one.
 */
export function inputRows(rows: readonly object[], columns: string): RawBuilder<unknown> {
  const keys = columns.split(',').map((column) => {
    const [name = ''] = column.trim().split(' ');
    return [name, name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())] as const;
  });
  const input = rows.map((row) => {
    const facts = row as Record<string, unknown>;
    const columnsOf: Record<string, unknown> = {};
    // A column that is left out is null.
    for (const [name, key] of keys) if (facts[key] !== null && facts[key] !== undefined) columnsOf[name] = textOf(facts[key]);
    return columnsOf;
  });
  return sql`(select * from json_to_recordset(${JSON.stringify(input)}::json) as r(${sql.raw(columns)}))`;
}

/** A value as JSON, which has no bigint: one is its text. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => textOf(part));
}

function textOf(value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
