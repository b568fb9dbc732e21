import type { ColumnType, Selectable } from 'kysely';
import type { LedgerTables } from './tables.ts';

type OpenLeg = Selectable<LedgerTables['openLegs']>;
type LegOutcome = Pick<Selectable<LedgerTables['legHistory']>, 'txHash' | 'blockNumber' | 'reason' | 'doneAt'>;

/** Every leg, open or ended. */
type AnyLeg = Omit<OpenLeg, 'state' | 'dueAt' | 'claimState' | 'turn'> &
  LegOutcome & {
    state: OpenLeg['state'] | NonNullable<Selectable<LedgerTables['legHistory']>['outcome']>;
    /** Null for one that has ended. */
    dueAt: Date | null;
  };

/** The views of the ledger, which nobody writes. */
export interface LedgerViews {
  legs: { [Column in keyof AnyLeg]: ColumnType<AnyLeg[Column], never, never> };
}
