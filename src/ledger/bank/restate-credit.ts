import { sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { accounts, bankAccount } from '../book/accounts.ts';
import { recordEntries } from '../book/entries.ts';
import { bookChargesAnew } from './booked-charges.ts';
import type { LedgerTransaction } from '../ledger.ts';

/**
 * Gives the credit of an issue order, whose leg is locked and ready, the amount in minor units that was issued of it before the restore: before or after charges, as another
 * report says. What a statement lists less or more is then what it would have been had that report been imported first (docs/bank-files.md, Charges). The caller has locked
 * the imports.
 */
export async function restateCredit(tx: LedgerTransaction, order: string, issued: MinorUnits): Promise<void> {
  const { rows } = await sql<{
    reference: string;
    account: string;
    currency: string;
    before: MinorUnits;
    bookedOn: string;
    source: string;
  }>`
    update credits c set amount = ${issued} where order_id = ${order} and amount <> ${issued}
    returning reference, bank_account as account, currency, old.amount as before, coalesce(booked_on, current_date)::text as booked_on, source
  `.execute(tx);
  const [credit] = rows;
  if (credit === undefined) return;
  const { reference, account, currency, before, bookedOn, source } = credit;
  const more = issued - before;
  const [bank, owed] = [bankAccount(account), accounts.issue];
  await recordEntries(tx, [
    {
      kind: 'credit-replaced',
      source: `${reference}#left-${issued}`,
      bookedOn,
      ...(more > 0n ? { debit: bank, credit: owed } : { debit: owed, credit: bank }),
      currency,
      amount: minorUnits(more > 0n ? more : -more),
    },
  ]);
  await bookChargesAnew(tx, reference, before, source);
}
