import type { Kysely, Transaction } from 'kysely';
import type { LedgerTables } from './tables.ts';

/** The ledger's database, as all its store functions take it. */
export type Ledger = Kysely<LedgerTables>;

/** The same inside a database transaction: what is written through it stands or falls together. */
export type LedgerTransaction = Transaction<LedgerTables>;
