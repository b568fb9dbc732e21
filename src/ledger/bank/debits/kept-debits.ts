import { sql } from 'kysely';
import type { MinorUnits } from '../../../platform/money.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { keptReference } from '../derived-references.ts';
import { bookUnderStatements, listBookings } from '../statements/bank-statements.ts';
import { type AccountDebit, recordDebits, replaceDebits } from './bank-debits.ts';

/** What the bank has kept of money that it reports before and after its charges. */
export interface KeptDebit {
  /** References of the money: its debit is found by any of them, and has the first. */
  names: readonly string[];
  account: string;
  currency: string;
  bookedOn: string | null;
  /** Zero where it has kept nothing. */
  amount: MinorUnits;
  /** The statements that list what is left. */
  statements: readonly (readonly string[])[];
  /** A clause for an operator. */
  problem: string;
}

/** Records what the bank has kept as debits, which wait for an operator, and undoes those that wait of money of which it has kept nothing, or something else. Returns what it records. */
export async function keepDebits<Kept extends KeptDebit>(
  tx: LedgerTransaction,
  all: readonly Kept[],
  source: string,
): Promise<(Kept & { debit: AccountDebit })[]> {
  const names = all.flatMap((kept) => kept.names.map(keptReference));
  const { rows } = await sql<{ reference: string; amount: MinorUnits; state: string }>`
    select reference, amount, state from bank_debits where reference = any(${names}::text[])
  `.execute(tx);
  const known = new Map(rows.map((row) => [row.reference, row]));
  const recorded: (Kept & { debit: AccountDebit })[] = [];
  for (const kept of all) {
    const debits = kept.names.flatMap((name) => known.get(keptReference(name)) ?? []);
    const right = debits.find(({ amount }) => amount === kept.amount);
    const wrong = debits.filter((debit) => debit !== right && debit.state === 'unexplained');
    await replaceDebits(
      tx,
      wrong.map(({ reference }) => reference),
    );
    if (kept.amount > 0n && right === undefined) recorded.push({ ...kept, debit: await record(tx, kept, source) });
    else if (right !== undefined) for (const statements of kept.statements) await listBookings(tx, statements, [right.reference]);
  }
  return recorded;
}

async function record(tx: LedgerTransaction, kept: KeptDebit, source: string): Promise<AccountDebit> {
  const { names, account, currency, amount, problem, statements } = kept;
  const bookedOn = kept.bookedOn ?? new Date().toISOString().slice(0, 10);
  const debit: AccountDebit = {
    reference: keptReference(names[0] ?? ''),
    account,
    currency,
    amount,
    bookedOn,
    payee: {},
    files: [],
    isSum: false,
    remittance: 'charges',
  };
  await bookUnderStatements(tx, (statements[0] ?? []).join(','), () => recordDebits(tx, [{ debit, problem }], source));
  return debit;
}
