import { sql } from 'kysely';
import type { Party } from '../../bank/credit.ts';
import { decidePayments, markSent } from '../bank/payment-decisions.ts';
import { explainDebit } from '../bank/debits/explain-debit.ts';
import { returnCredit } from '../bank/unmatched/return-credit.ts';
import { mostGenerations, returnPaymentIds } from '../derived-ids.ts';
import type { LedgerTransaction } from '../ledger.ts';

/** How the ledger explains a debit of a payment that it had lost. */
const reason = 'the payment was made before the ledger was restored';

/** Why a return is refused that the bank has carried out in a later generation. */
const refusedBefore = 'the bank had refused it before the ledger was restored, and booked a later return of the same credit';

/**
 * Finds the payments that are due and that the bank has booked already, by the EndToEndIds of debits that nobody has explained: a payment that is
 * made again has the same. They are accepted instead of sent. A return that the bank had refused is made again until it is the one that the bank has
 * booked. Returns how many were accepted.
 */
export async function acceptBookedPayments(tx: LedgerTransaction, operator: string): Promise<number> {
  let accepted = await acceptBooked(tx, operator);
  for (let generation = 0; generation < mostGenerations; generation += 1) {
    if ((await makeRefusedReturnsAgain(tx)) === 0) break;
    accepted += await acceptBooked(tx, operator);
  }
  return accepted;
}

async function acceptBooked(tx: LedgerTransaction, operator: string): Promise<number> {
  const { rows } = await sql<{ payment: string; reference: string }>`
    select distinct on (p.id) p.id as payment, d.reference
    from bank_debits d join payments p on p.id = case when d.end_to_end_id ~* '^[0-9a-f]{32}$' then d.end_to_end_id::uuid end
    where d.state = 'unexplained' and p.state in ('ready', 'sent') and p.amount = d.amount and p.currency = d.currency
    order by p.id, d.received_at
  `.execute(tx);
  await markSent(
    tx,
    rows.map(({ payment }) => payment),
    null,
  );
  for (const { payment, reference } of rows)
    await explainDebit(tx, reference, { explanation: { as: 'payment', payments: [payment], isWithFee: false }, reason, operator });
  return rows.length;
}

/** Refuses returns that are due while the bank has booked another generation of them, and makes the next generation. Returns how many. */
async function makeRefusedReturnsAgain(tx: LedgerTransaction): Promise<number> {
  const { rows } = await sql<{ payment: string; credit: string; payee: Party }>`
    select distinct on (p.id) p.id as payment, p.credit, d.payee
    from payments p cross join lateral ${returnPaymentIds(sql`p.credit`)} generation
    join bank_debits d on lower(d.end_to_end_id) = replace(generation.id::text, '-', '') and d.state = 'unexplained'
    where p.kind = 'return' and p.state = 'ready' and d.amount = p.amount and d.currency = p.currency
      and not exists (select from payments other where other.id = generation.id)
    order by p.id
  `.execute(tx);
  await decidePayments(
    tx,
    rows.map(({ payment }) => ({ id: payment, refused: refusedBefore })),
    ['ready'],
  );
  for (const { credit, payee } of rows)
    await returnCredit(tx, credit, payee.iban === undefined ? undefined : { iban: payee.iban, name: payee.name ?? '' });
  return rows.length;
}
