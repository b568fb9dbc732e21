import { sql } from 'kysely';
import { actAsSystem } from '../platform/acting.ts';
import { StopError } from '../platform/errors.ts';
import type { SealedField, Sealer } from '../platform/sealing.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from './ledger.ts';

/** A column of sealed texts. */
interface SealedColumn {
  table: string;
  column: string;
}

/** Every column of sealed texts, with the primary key of its table. Each has an index on `sealing_key(column)` and that key (src/schema/access.sql). */
const sealedColumns: readonly (SealedColumn & { id: string })[] = [
  { table: 'webhook_subscriptions', column: 'secret', id: 'id' },
  { table: 'webhook_subscriptions', column: 'previous_secret', id: 'id' },
  { table: 'totp_seeds', column: 'seed', id: 'id' },
  { table: 'mails', column: 'content', id: 'id' },
];

/** How many secrets of a column are sealed with a key; `keyId` is empty for those that are not sealed. */
export interface SecretCount extends SealedColumn {
  keyId: string;
  count: number;
}

/** What a rotation did with one column. */
export interface Resealed extends SealedColumn {
  /** Secrets that are sealed with the current key now, and were not before. */
  sealed: number;
  /** Secrets that do not open, with the reason of each. They stay as they are. */
  failed: { row: string; code: string; message: string }[];
}

/** Secrets that are sealed anew in one transaction. */
const defaultBatch = 200;

/** The keys with which secrets are sealed, empty for none. One look into an index for each key, however many secrets there are. */
export async function sealingKeysInUse(ledger: Ledger): Promise<Set<string>> {
  const used = new Set<string>();
  for (const { table, column } of sealedColumns) {
    const key = sql`sealing_key(${sql.ref(column)})`;
    const next = sql`select ${key} as key from ${sql.table(table)} where ${sql.ref(column)} is not null`;
    const { rows } = await sql<{ key: string }>`
      with recursive keys as (
        (${next} order by ${key} limit 1)
        union all
        select (${next} and ${key} > keys.key order by ${key} limit 1) from keys where keys.key is not null
      )
      select key from keys where key is not null
    `.execute(ledger);
    for (const row of rows) used.add(row.key);
  }
  return used;
}

/** How many secrets each column has, by key. Reads all of them: for the operator. */
export async function countSecrets(ledger: Ledger): Promise<SecretCount[]> {
  const counts: SecretCount[] = [];
  for (const { table, column } of sealedColumns) {
    const { rows } = await sql<{ keyId: string; count: number }>`
      select sealing_key(${sql.ref(column)}) as key_id, count(*)::int as count from ${sql.table(table)}
      where ${sql.ref(column)} is not null group by 1 order by 1
    `.execute(ledger);
    counts.push(...rows.map(({ keyId, count }) => ({ table, column, keyId, count })));
  }
  return counts;
}

/** A few of the secrets that are sealed with a key, empty for none: the primary keys of their rows. */
export async function rowsUnderKey(ledger: Ledger, { table, column, keyId }: Omit<SecretCount, 'count'>, limit: number): Promise<string[]> {
  const sealed = sealedColumns.find((known) => known.table === table && known.column === column);
  if (!sealed) return [];
  const { rows } = await sql<{ row: string }>`
    select ${sql.ref(sealed.id)}::text as row from ${sql.table(table)}
    where ${sql.ref(column)} is not null and sealing_key(${sql.ref(column)}) = ${keyId} order by 1 limit ${limit}
  `.execute(ledger);
  return rows.map(({ row }) => row);
}

/**
 * Seals every secret with the sealer's current key that is not: those under an older key, and those that were stored before secrets were
 * sealed. Works in small transactions, so it may be killed at any moment and run again, beside processes that use the secrets.
 */
export async function resealSecrets(ledger: Ledger, sealer: Sealer, batch = defaultBatch): Promise<Resealed[]> {
  const results: Resealed[] = [];
  for (const { id, ...target } of sealedColumns) {
    const result: Resealed = { ...target, sealed: 0, failed: [] };
    let after: Position | undefined = { key: '', row: '' };
    while (after !== undefined) after = await resealBatch(ledger, sealer, { id, batch, after, result });
    results.push(result);
  }
  return results;
}

/** The last secret that was looked at. What fails keeps its key, so a rotation goes on behind it. */
interface Position {
  key: string;
  row: string;
}

/** Seals some secrets anew. Returns the last of them, or `undefined` when there are no more. */
async function resealBatch(
  ledger: Ledger,
  sealer: Sealer,
  { id, batch, after, result }: { id: string; batch: number; after: Position; result: Resealed },
): Promise<Position | undefined> {
  const { table, column } = result;
  const key = sql`sealing_key(${sql.ref(column)})`;
  const row = sql`${sql.ref(id)}::text`;
  const resealAll = async (tx: LedgerTransaction) => {
    const { rows } = await sql<{ row: string; stored: string; key: string }>`
      select ${row} as row, ${sql.ref(column)} as stored, ${key} as key from ${sql.table(table)}
      where ${sql.ref(column)} is not null and ${key} <> ${sealer.keyId} and (${key}, ${row}) > (${after.key}, ${after.row})
      order by ${key}, ${row} limit ${batch} for update
    `.execute(tx);
    for (const secret of rows) await reseal(tx, sealer, { table, column, row: secret.row }, { id, stored: secret.stored, result });
    return rows.length < batch ? undefined : rows.at(-1);
  };
  // The audit log shows who set a secret, and this sets none.
  return actAsSystem(() => inTransaction(ledger, resealAll));
}

async function reseal(
  tx: LedgerTransaction,
  sealer: Sealer,
  field: SealedField,
  { id, stored, result }: { id: string; stored: string; result: Resealed },
): Promise<void> {
  try {
    const sealed = sealer.seal(openStored(sealer, stored, field), field);
    await sql`update ${sql.table(field.table)} set ${sql.ref(field.column)} = ${sealed} where ${sql.ref(id)} = ${field.row}`.execute(tx);
    result.sealed += 1;
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    result.failed.push({ row: field.row, code: error.code, message: error.message });
  }
}

/** Who writes into the database by hand may store a secret as it is: a rotation seals it. */
function openStored(sealer: Sealer, stored: string, field: SealedField): string {
  try {
    return sealer.unseal(stored, field);
  } catch (error) {
    if (error instanceof StopError && error.code === 'unsealed_secret') return stored;
    throw error;
  }
}
