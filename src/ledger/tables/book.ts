import type { ColumnType, GeneratedAlways } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { MinorUnits } from '../../platform/money.ts';
import type { Default, Json, NullableTime, Time } from './columns.ts';

/** A way in which the book is compared with what is not derived from it (docs/book.md, Comparisons). */
export type ComparisonName = 'states' | 'index' | 'nodes' | 'bank';
/** A part of a difference that is explained; the amount is in minor units, in decimal digits. */
export interface StoredItem {
  text: string;
  amount: string;
}

/** Tables of the book and its comparisons. */
export interface BookTables {
  entries: { id: Default<string>; kind: string; source: string; bookedOn: ColumnType<string, string, never>; at: Time };
  postings: {
    entry: string;
    position: number;
    account: string;
    currency: string;
    amount: MinorUnits;
    bookedOn: ColumnType<string, string, never>;
  };
  balanceChanges: {
    id: GeneratedAlways<bigint>;
    account: string;
    currency: string;
    bookedOn: ColumnType<string, string, never>;
    debited: string;
    credited: string;
  };
  balances: { account: string; currency: string; debited: string; credited: string };
  accountDays: { account: string; currency: string; day: ColumnType<string, string, never>; debited: string; credited: string };
  reserveBreaches: {
    id: Default<string>;
    comparison: Default<ComparisonName>;
    currency: string;
    account: Default<string>;
    chain: Default<Chain | ''>;
    difference: ColumnType<string, string, string>;
    foundAt: Time;
    acknowledgedAt: NullableTime;
    acknowledgedBy: string | null;
    reason: string | null;
    items: ColumnType<StoredItem[] | null, string | undefined, string>;
    endedAt: NullableTime;
  };
  reserveSamples: {
    step: 'minute' | 'hour';
    takenAt: ColumnType<Date, Date, never>;
    currency: string;
    bank: MinorUnits;
    underWay: MinorUnits;
    circulation: Json<Record<string, string>>;
  };
  comparisons: {
    comparison: ComparisonName;
    currency: string;
    account: string;
    chain: Chain | '';
    expected: string;
    actual: string;
    items: Json<StoredItem[]>;
    difference: string;
    comparedAt: Time;
  };
}
