import { sql } from 'kysely';
import { hashCode, newRecoveryCodes } from '../access/factors/written-codes.ts';
import type { LedgerTransaction } from '../ledger.ts';

/** Sets the password of an operator, as its hash. Whoever calls it holds the lock of the operator. */
export async function setPassword(tx: LedgerTransaction, operator: string, hash: string): Promise<void> {
  await tx
    .insertInto('operatorPasswords')
    .values({ operator, hash })
    .onConflict((conflict) => conflict.column('operator').doUpdateSet({ hash, updatedAt: sql<Date>`now()` }))
    .execute();
}

/** Makes recovery codes in place of earlier ones. Returns them; the ledger keeps only their SHA-256. Whoever calls it holds the lock of the operator. */
export async function makeRecoveryCodes(tx: LedgerTransaction, operator: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await tx.deleteFrom('operatorRecoveryCodes').where('operator', '=', operator).execute();
  await tx
    .insertInto('operatorRecoveryCodes')
    .values(codes.map((code, index) => ({ hash: hashCode(code), operator, number: index + 1, usedAt: null })))
    .execute();
  return codes;
}
