import { sql } from 'kysely';
import type { LedgerTransaction } from '../../ledger.ts';
import { type CreditStanding, creditsChanged, findStandings } from '../credit-standing.ts';

/**
 * Locks credits with the payments that return them and those that they brought back, and the legs of their orders. What they need is locked by kind, in the order of
 * all locks (docs/architecture.md, Row locks), so that nobody who locks in that order waits for this transaction while it waits for them. Returns the credits as they
 * are then, by reference. Throws `import_busy` when one became an order, or its return was made, while this waited for the lock and another transaction holds that by now.
 */
export async function lockCredits(tx: LedgerTransaction, references: readonly string[]): Promise<Map<string, CreditStanding>> {
  const credits = sql`any(${references}::text[])`;
  const { rows: payments } = await sql<{ id: string }>`
    select id from payments where came_back_by = ${credits} or (credit = ${credits} and state in ('ready', 'sent', 'accepted')) order by id for update
  `.execute(tx);
  const orders = (await findStandings(tx, references)).flatMap(({ orderId }) => orderId ?? []);
  // What is open ends or moves by its row there, what has ended is opened again by that of the history.
  await sql`select from open_legs where order_id = any(${orders}::uuid[]) order by id for update`.execute(tx);
  await sql`select from leg_history where order_id = any(${orders}::uuid[]) order by id for update`.execute(tx);
  await sql`select from credits where reference = ${credits} order by reference for update`.execute(tx);
  const locked = await findStandings(tx, references);
  for (const { reference, orderId, payment } of locked) {
    if (orderId !== null && !orders.includes(orderId)) throw creditsChanged([reference]);
    if (payment === null || payments.some(({ id }) => id === payment)) continue;
    // A return that was made while this waited for the credit. Waiting for it as well could be a deadlock: whoever has it may need the credit.
    const { rows } = await sql`select from payments where id = ${payment} for update skip locked`.execute(tx);
    if (rows.length === 0) throw creditsChanged([reference]);
  }
  return new Map(locked.map((credit) => [credit.reference, credit]));
}
