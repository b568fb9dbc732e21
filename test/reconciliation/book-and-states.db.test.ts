import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { compareBookWithStates } from '../../src/reconciliation/book-and-states.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';

const bank = testPayments({ isShared: true });

it("the book and the ledger's states differ when a row was changed behind the back of the book", async () => {
  const { order } = await bank.credited();
  const undone = new Error('undone');
  const tampering = inTransaction(bank.ledger, async (tx) => {
    await sql`update open_legs set amount = amount + 5 where order_id = ${order}`.execute(tx);
    await sql`update balances set debited = debited + 9 where account = 'liabilities:tokens:chiado'`.execute(tx);
    await sql`insert into balance_changes (account, currency, booked_on, debited, credited) values ('liabilities:tokens:chiado', 'eur', now(), 9, 0)`.execute(
      tx,
    );
    const differing = (await compareBookWithStates(tx)).filter(({ difference }) => difference !== 0n);
    expect(differing.map(({ account, difference }) => [account, difference])).toEqual([
      ['', 9n],
      ['liabilities:issue', -5n],
    ]);
    throw undone;
  });
  await expect(tampering).rejects.toBe(undone);
});
