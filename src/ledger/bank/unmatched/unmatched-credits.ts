import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import type { Ledger } from '../../ledger.ts';
import { type CreditStanding, findStandings } from '../credit-standing.ts';

/**
 * The credits that wait for an operator, the oldest first, or those that came after the credit with the reference `after`, or `only` the one with a
 * reference; `repeats` is the credit that one may repeat.
 */
export async function listUnmatchedCredits(
  ledger: Ledger,
  limit: number,
  { after, only }: { after?: string | undefined; only?: string | undefined } = {},
) {
  const credits = await listed(ledger)
    .where('state', '=', sql.lit('unmatched'))
    .$if(only !== undefined, (query) => query.where('reference', '=', only ?? ''))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(received_at, reference) > (select c.received_at, c.reference from credits c where c.reference = ${after})`),
    )
    .orderBy('receivedAt')
    .orderBy('reference')
    .limit(limit)
    .select(['reason', 'railReason', 'facts', 'repeats'])
    .execute();
  const references = credits.flatMap(({ repeats }) => repeats ?? []);
  const isRepeated = sql<boolean>`reference = any(${references}::text[])`;
  const recorded = await listed(ledger).where(isRepeated).select(['state', 'orderId']).execute();
  const byReference = new Map(recorded.map((credit) => [credit.reference, credit]));
  return credits.map(({ repeats, ...credit }) => Object.assign(credit, { repeats: byReference.get(repeats ?? '') ?? null }));
}

function listed(ledger: Ledger) {
  return ledger
    .selectFrom('credits')
    .select(['reference', 'receivedAt', 'bookedOn', 'iban', 'amount', 'currency', 'payer', 'remittance'])
    .select(['endToEndId', 'uetr', 'message', 'source']);
}

const awaitsDebitText =
  ', and awaits the debit of that; where it was for a recall and the bank does not take it, run `mintrail bank recalls undo RECALL --reason TEXT`';

/**
 * An unmatched credit, which stays as it is until the transaction ends where it is to be locked. Throws `not_found`, and `credit_not_unmatched`, which says
 * how it ended.
 */
export async function findWaitingCredit(ledger: Ledger, reference: string, lock?: 'lock'): Promise<WaitingCredit> {
  if (lock !== undefined) await sql`select from credits where reference = ${reference} for update`.execute(ledger);
  const [row] = await findStandings(ledger, [reference]);
  if (row === undefined) {
    const message = `There is no credit ${reference}; \`mintrail bank unmatched\` lists those that wait`;
    throw new StopError({ code: 'not_found', message });
  }
  if (row.state !== 'unmatched') {
    const ends = {
      matched: `became the order ${row.orderId}`,
      returned: `was returned already, at ${row.returnedAt?.toISOString()}${row.awaitsDebit ? awaitsDebitText : ''}`,
      replaced: 'was replaced by the transactions it consists of',
      reversed: 'was taken back by the bank',
      settled: `was settled already, at ${row.settledAt?.toISOString()}`,
      repeated: `is the money of ${row.repeats}`,
    };
    throw new StopError({ code: 'credit_not_unmatched', message: `The credit ${reference} ${ends[row.state]}` });
  }
  return row;
}

/** An unmatched credit. */
export type WaitingCredit = CreditStanding;
