import { sql } from 'kysely';
import { markSent } from '../bank/payment-batches.ts';
import { explainDebit } from '../bank/debits/unexplained-debits.ts';
import type { LedgerTransaction } from '../ledger.ts';

/** How the ledger explains a debit of a payment that it had lost. */
const reason = 'the payment was made before the ledger was restored';

/**
 * Finds the payments that are due and that the bank has booked already, by the EndToEndIds of debits that nobody has explained: a payment that is
 * made again has the same. They are accepted instead of sent. Returns how many.
 */
export async function acceptBookedPayments(tx: LedgerTransaction, operator: string): Promise<number> {
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
    await explainDebit(tx, reference, { explanation: { as: 'payment', payment }, reason, operator });
  return rows.length;
}
