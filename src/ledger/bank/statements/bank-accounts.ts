import type { LedgerTransaction } from '../../ledger.ts';

/** Whether an IBAN was assigned to a customer, whatever its state is now. */
export async function isAssignedIban(tx: LedgerTransaction, iban: string): Promise<boolean> {
  const row = await tx.selectFrom('ibans').where('iban', '=', iban).select('id').executeTakeFirst();
  return row !== undefined;
}
