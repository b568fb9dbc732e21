import { type RawBuilder, sql } from 'kysely';

/**
 * SQL: the source of the entry that books a debit which is not replaced: its reference. A reference is recorded again once a more detailed
 * report has replaced what had it; the source then says how often. `note_bank_bookings` leaves the suffix out.
 */
export function sourceOf(reference: string): RawBuilder<string> {
  return sql<string>`${sql.ref(reference)} || coalesce(
    (select '#again-' || count(*) from bank_debits before where before.replaced_from = ${sql.ref(reference)} having count(*) > 0), '')`;
}

/**
 * SQL: the reference that a debit gets when a more detailed report replaces it. It has a number, because a reference can be replaced and
 * recorded any number of times. `note_bank_bookings` leaves the suffix out.
 */
export function replacedReference(reference: string): RawBuilder<string> {
  return sql<string>`${sql.ref(reference)} || '#replaced-' ||
    (select count(*) + 1 from bank_debits before where before.replaced_from = ${sql.ref(reference)})`;
}

/** The reference of what remains of a sum beside its transactions, or of what the bank has booked more of a credit than was issued. */
export function restReference(reference: string): string {
  return `${reference}#rest`;
}

/** The reference of the debit of what the bank has kept of money that it reports before and after its charges. */
export function keptReference(reference: string): string {
  return `${reference}#kept`;
}

/** The reference of the debit or credit by which an operator undoes a credit or debit that the bank has not booked. In a number of the bank, `#` is escaped. */
export function notBookedReference(notified: string): string {
  return `${notified}#not-booked`;
}

/** Whether a reference is such a one, perhaps with a day behind it. */
export function isNotBookedReference(reference: string): boolean {
  return /#not-booked(~|$)/.test(reference);
}

/** SQL: the same of a reference in an expression. */
export function isNotBooked(reference: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(${reference} ~ '#not-booked(~|$)')`;
}
