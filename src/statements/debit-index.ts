import type { AccountDebit, ReportedDebit } from '../ledger/bank/debits/bank-debits.ts';
import { dayReferences } from '../ledger/bank/derived-references.ts';
import type { MinorUnits } from '../platform/money.ts';
import { idOfEndToEndId } from '../ledger/end-to-end-id.ts';

/** Known debits by what another report of the same money may have in common with them. */
export interface DebitIndex {
  /** Those that may be the same money as a debit, or of the same entry, which comes to `total`. */
  candidates(debit: AccountDebit, total?: MinorUnits): ReportedDebit[];
  add(known: ReportedDebit): void;
}

/** An index of the debits that are known, to which those that are planned are added. */
export function createDebitIndex(stored: readonly ReportedDebit[]): DebitIndex {
  const byKey = new Map<string, ReportedDebit[]>();
  function add(known: ReportedDebit): void {
    if (known.state === 'replaced') return;
    const { reference, listedAs, notifiedAs, entryReference, entryTotal, uetr, payment } = known;
    const named = [listedAs, notifiedAs, entryReference, uetr && `uetr ${uetr}`, payment && `payment ${payment}`].flatMap(
      (key) => key ?? [],
    );
    const ofEntry = entryTotal === null ? [] : [factsOf({ ...known, amount: entryTotal })];
    for (const key of new Set([reference, factsOf(known), ...named, ...ofEntry])) {
      const others = byKey.get(key);
      if (others === undefined) byKey.set(key, [known]);
      else others.push(known);
    }
  }
  for (const known of stored) add(known);
  return {
    candidates(debit, total = debit.amount) {
      const { reference, entryReference = reference, uetr, endToEndId } = debit;
      const payment = idOfEndToEndId(endToEndId);
      const keys = [
        reference,
        ...dayReferences(debit),
        `${reference}#tx1`,
        entryReference,
        `uetr ${uetr}`,
        `payment ${payment}`,
        factsOf(debit),
        factsOf({ ...debit, amount: total }),
      ];
      return [...new Set(keys.flatMap((key) => byKey.get(key) ?? []))];
    },
    add,
  };
}

function factsOf({ account, currency, amount }: Pick<ReportedDebit, 'account' | 'currency' | 'amount'>): string {
  return `facts ${account} ${currency} ${amount}`;
}
