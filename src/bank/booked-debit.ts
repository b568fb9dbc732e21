/** Money that left one of our accounts: one transaction of a booked debit entry. */
export interface BookedDebit {
  endToEndId: string;
  /** Minor units. */
  amount: bigint;
  /** ISO 4217 in lower case. */
  currency: string;
}
