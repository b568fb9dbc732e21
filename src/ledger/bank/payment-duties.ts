import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';

/** What there may be to do for the payments to the bank. */
export interface PaymentDuties {
  /** Legs of which payments are made. */
  legs: boolean;
  /** Payments that are not sent, whether or not they are due. */
  payments: boolean;
  /** Payment files that are not written. */
  files: boolean;
}

/** Says what there may be to do. One statement, and an index lookup for each: mostly there is nothing. */
export async function readPaymentDuties(ledger: Ledger): Promise<PaymentDuties> {
  const { rows } = await sql<PaymentDuties>`
    select
      (select true from open_legs where chain is null and claim_state = 'ready' limit 1) is true as legs,
      (select true from payments where state = 'ready' order by id limit 1) is true as payments,
      (select true from payment_files where written_at is null order by created_at limit 1) is true as files
  `.execute(ledger);
  return rows[0] ?? { legs: true, payments: true, files: true };
}
