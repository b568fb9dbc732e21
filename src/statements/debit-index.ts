import type { AccountDebit, ReportedDebit } from '../ledger/bank/debits/bank-debits.ts';
import { dayReference } from '../ledger/bank/derived-references.ts';
import { idOfEndToEndId } from '../ledger/end-to-end-id.ts';

/** Known debits by what another report of the same money may have in common with them. */
export interface DebitIndex {
  /** Those that may be the same money as a debit, or of the same entry. */
  candidates(debit: AccountDebit): ReportedDebit[];
  add(known: ReportedDebit): void;
}

/** An index of the debits that are known, to which those that are planned are added. */
export function createDebitIndex(stored: readonly ReportedDebit[]): DebitIndex {
  const byKey = new Map<string, ReportedDebit[]>();
  function add(known: ReportedDebit): void {
    if (known.state === 'replaced') return;
    const { reference, listedAs, entryReference, uetr, payment } = known;
    const named = [listedAs, entryReference, uetr && `uetr ${uetr}`, payment && `payment ${payment}`].flatMap((key) => key ?? []);
    for (const key of new Set([reference, factsOf(known), ...named])) {
      const others = byKey.get(key);
      if (others === undefined) byKey.set(key, [known]);
      else others.push(known);
    }
  }
  for (const known of stored) add(known);
  return {
    candidates(debit) {
      const { reference, entryReference = reference, uetr, endToEndId } = debit;
      const payment = idOfEndToEndId(endToEndId);
      const keys = [
        reference,
        dayReference(debit),
        `${reference}#tx1`,
        entryReference,
        `uetr ${uetr}`,
        `payment ${payment}`,
        factsOf(debit),
      ];
      return [...new Set(keys.flatMap((key) => byKey.get(key) ?? []))];
    },
    add,
  };
}

function factsOf({ account, bookedOn, amount }: Pick<ReportedDebit, 'account' | 'bookedOn' | 'amount'>): string {
  return `facts ${account} ${bookedOn} ${amount}`;
}
