import { sql } from 'kysely';
import { listUnknownStatuses, type UnknownStatus } from '../bank/payment-statuses.ts';
import { isDerivedEndToEndId } from '../derived-ids.ts';
import type { Ledger } from '../ledger.ts';
import type { MinorUnits } from '../../platform/money.ts';

/** A debit of a payment that this ledger has lost: its EndToEndId is of a form that only a Mintrail ledger gives, and nobody has explained it. */
interface LostDebit {
  reference: string;
  endToEndId: string;
  amount: MinorUnits;
  currency: string;
  /** `YYYY-MM-DD`. */
  bookedOn: string;
}

/** Payments that only the bank knows: they may be made a second time until the ledger has them again. */
export interface LostPayments {
  debits: LostDebit[];
  statuses: UnknownStatus[];
}

/** Lists the payments that only the bank knows, at most `limit` of its debits and of its statuses. */
export async function listLostPayments(ledger: Ledger, limit: number): Promise<LostPayments> {
  const { rows: debits } = await sql<LostDebit>`
    select reference, end_to_end_id, amount, currency, booked_on::text as booked_on from bank_debits
    where state = 'unexplained' and ${isDerivedEndToEndId(sql`end_to_end_id`)} order by received_at, reference limit ${limit}
  `.execute(ledger);
  return { debits, statuses: await listUnknownStatuses(ledger, limit) };
}
