import type { ColumnType, Generated } from 'kysely';

/** A column with a default. */
export type Default<T> = Generated<T>;
/** A column of time. It has a default, so that it may be left out. */
export type Time = ColumnType<Date, Date | string | undefined, Date | string>;
/** A column of time that may be null. */
export type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
/** A column of JSON, which is written as text. */
export type Json<T> = ColumnType<T, string, string>;
