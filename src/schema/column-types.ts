import type { ColumnType } from 'kysely';
import type { Party } from '../bank/credit.ts';
import type { LowerAddress } from '../platform/addresses.ts';
import type { Chain } from '../platform/chains.ts';

/** A column of time. */
export type Time = ColumnType<Date, Date | string, Date | string>;
/** A column of time with a default. */
export type DefaultTime = ColumnType<Date, Date | string | undefined, Date | string>;
/** A column of time that may be null. */
export type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
/** A column of JSON, which is written as text. */
export type Json<T> = ColumnType<T, string, string>;
/** A column of JSON with a default. */
export type DefaultJson<T> = ColumnType<T, string | undefined, string>;
/** A column of JSON that may be null. */
export type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
/** A column of exact numbers of any size, in decimal digits. */
export type Numeric = ColumnType<string, bigint | string, bigint | string>;
/** A column of exact numbers of any size that may be null. */
export type NullableNumeric = ColumnType<string | null, bigint | string | null | undefined, bigint | string | null>;

/** What a user lets an application do. */
export type Permission = 'read' | 'write';
/** How a user proved who they are: by a password, or by the signature of a linked address (docs/api.md, User context). */
export type AuthMethod = 'password' | 'resource';
/** A way in which the book is compared with what is not derived from it (docs/book.md, Comparisons). */
export type ComparisonName = 'states' | 'index' | 'nodes' | 'bank';
/** A part of a difference that is explained; the amount is in minor units, in decimal digits. */
export interface StoredItem {
  text: string;
  amount: string;
}
/** A file that proves a fact about a profile (docs/api.md, Verifications). */
export interface VerificationDocument {
  fileId: string;
  kind?: string | undefined;
  side?: string | undefined;
}
/** The payee or payer of an order, as the API shows it (docs/api.md, Counterpart). */
export interface Counterpart {
  identifier:
    | {
        standard: 'iban';
        /** Missing in orders of payers without an IBAN that were placed before there was `account`. */
        iban?: string;
      }
    | AccountIdentifier
    | { standard: 'chain'; address: LowerAddress; chain: Chain };
  details: Record<string, unknown>;
}
/** A payer's account that has no valid IBAN, as far as the bank identifies it. */
export interface AccountIdentifier extends Pick<Party, 'accountNumber' | 'bic' | 'clearingSystem' | 'clearingCode'> {
  standard: 'account';
}
/** An attempt to deliver an event: the HTTP status of the answer, or the error when there was none. `duration` is in milliseconds. */
export interface DeliveryAttempt {
  at: string;
  status?: number;
  error?: string;
  duration: number;
}
