import { type RawBuilder, sql } from 'kysely';

/**
 * SQL: the source of the entry that booked a credit which is not replaced: its reference. A reference is recorded again once a more detailed report
 * has replaced its credit; the source then says how often.
 */
export function creditSource(reference: string): RawBuilder<string> {
  return sql<string>`${sql.ref(reference)} || coalesce(
    (select '#again-' || count(*) from credits before where before.replaced_from = ${sql.ref(reference)} having count(*) > 0), '')`;
}
