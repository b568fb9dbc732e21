import { type EntrySpec, statementXml } from '../bank/iso20022/camt/statement-xml.ts';

/** The bank's side of the master account: its statements are numbered, and their balances follow from their entries. */
export interface MasterAccount {
  /** The statement of today with these entries. `missing` statements of the bank before it never arrive; `wrongBy` is added to its balances. */
  statement(entries: readonly EntrySpec[], options?: { missing?: number; wrongBy?: number }): string;
  /** A notification of entries that a statement has later. */
  notification(entries: readonly EntrySpec[]): string;
}

/** Opens an account without money. */
export function openMasterAccount(): MasterAccount {
  const day = new Date().toISOString().slice(0, 10);
  let cents = 0;
  let sequence = 0;
  let notifications = 0;
  const dated = (entries: readonly EntrySpec[]) => entries.map((entry) => ({ bookedOn: day, ...entry }));
  return {
    statement(entries, { missing = 0, wrongBy = 0 } = {}) {
      sequence += 1 + missing;
      const opening = cents;
      for (const { amount = '0', direction } of entries) cents += Math.round(Number(amount) * 100) * (direction === 'DBIT' ? -1 : 1);
      const [before, after] = [text(opening + wrongBy), text(cents + wrongBy)];
      return statementXml({ id: `${sequence}`, sequence, day, opening: before, closing: after, entries: dated(entries) });
    },
    notification(entries) {
      notifications += 1;
      return statementXml({ message: 'camt.054', id: `N${notifications}`, entries: dated(entries) });
    },
  };
}

function text(cents: number): string {
  return (cents / 100).toFixed(2);
}
