import { isValidIBAN } from 'ibantools';
import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import type { PostalAddress } from '../../../platform/settings/postal-address.ts';
import { accounts } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { requestReturn } from '../payments.ts';
import { isOwnPayment, namedPayments } from '../returns/own-payments.ts';
import { findWaitingCredit, type WaitingCredit } from './unmatched-credits.ts';

/** Another account than the payer's, to which an operator returns a credit. */
export interface ReturnAccount {
  name: string;
  iban: string;
}

/**
 * Marks an unmatched credit as returned, once, and records the payment that returns it: to its payer, or to another account. Without a known
 * account, amount or currency there is no `payment`, and the operator has to send the money. A payment of ours that came back can only go to
 * another account, and only while nothing was given back for it. `address` is that of the payee, where it is not the one that the bank names for the
 * payer. Throws `not_found`, `credit_not_unmatched`, `not_possible`, `bad_input`.
 */
export async function returnCredit(ledger: Ledger, reference: string, to?: ReturnAccount, address?: PostalAddress) {
  if (to !== undefined && !isValidIBAN(to.iban, { allowQRIBAN: true }))
    throw new StopError({ code: 'bad_input', message: `Nothing can be paid to this account: ${to.iban} is not a valid IBAN` });
  return inTransaction(ledger, async (tx) => {
    const credit = await findReturnable(tx, reference, to);
    const payment = await requestReturn(tx, reference, to, address);
    const returnedAt = await markReturned(tx, reference, { payment, source: payment ?? reference });
    const { payer, amount, currency, endToEndId } = credit;
    return { reference, payer: to ?? payer, amount, currency, endToEndId, returnedAt, payment };
  });
}

/**
 * Marks an unmatched credit as returned, once, whose money the bank takes back itself, for a recall: its debit is the return. Throws `not_found`,
 * `credit_not_unmatched`, `not_possible`.
 */
export async function leaveReturnToBank(tx: LedgerTransaction, reference: string, recall: string): Promise<void> {
  await findReturnable(tx, reference, undefined);
  await markReturned(tx, reference, { source: recall });
}

/** Moves the money of a locked credit to what is to be returned, by a payment or by a debit that is still to come. Returns when. */
async function markReturned(
  tx: LedgerTransaction,
  reference: string,
  { payment, source }: { payment?: string | undefined; source: string },
): Promise<Date> {
  const isKnown = sql`currency is not null and amount is not null`;
  const { rows } = await sql<{ returnedAt: Date }>`
    with returned as (
      update credits set state = 'returned', returned_at = now(), awaits_debit = ${payment === undefined} and ${isKnown}
      where reference = ${reference} and state = 'unmatched' returning *
    ), ${bookEntries(sql`
      select 'credit-returned' as kind, ${source}::text as source, null::date as booked_on, ${accounts.suspense} as debit, ${accounts.return} as credit, currency, amount
      from returned where ${isKnown}`)}
    select returned_at from returned
  `.execute(tx);
  return (rows[0] as { returnedAt: Date }).returnedAt;
}

/** Locks an unmatched credit. Throws `not_possible` when returning a payment of ours that came back would pay twice. */
async function findReturnable(tx: LedgerTransaction, reference: string, to: ReturnAccount | undefined): Promise<WaitingCredit> {
  const credit = await findWaitingCredit(tx, reference, 'lock');
  if (!isOwnPayment(credit.railReason)) return credit;
  if (to === undefined) {
    const message = `${reference} is a payment of ours that came back: its payer is the one whom we paid. Match it to its payment (\`mintrail bank match\`), or return it to an account of the customer (--to-iban)`;
    throw new StopError({ code: 'not_possible', message });
  }
  const payments = await namedPayments(tx, credit);
  const given = payments.find(({ state, cameBackBy }) => state === 'refused' || (state === 'returned' && cameBackBy !== reference));
  if (given === undefined) return credit;
  const message = `${reference} belongs to the payment ${given.id}, which is ${given.state}: its money was given back already, and returning it would pay twice. Settle it: \`mintrail bank settle\``;
  throw new StopError({ code: 'not_possible', message });
}
