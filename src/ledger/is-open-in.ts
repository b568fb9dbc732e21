import { type RawBuilder, sql } from 'kysely';

/**
 * SQL: the leg is in the state, which is no literal, and no gas budget holds it. This condition of the index of open legs (src/schema/lanes.sql) follows from
 * nothing but these words, and with a literal state other partial indexes would do as well: the planner then reads and sorts all legs that it believes to be few.
 */
export function isOpenIn(state: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(state = 'waiting' or state = 'sent' or (state = 'ready' and held_until is null)) is true and state = ${state}`;
}
