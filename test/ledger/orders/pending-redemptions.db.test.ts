import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { openRedemptions } from '../../../src/ledger/orders/pending-redemptions.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();
let customer: TestCustomer;

beforeAll(async () => {
  customer = await createCustomer(ledger, 'chiado');
});
/** Redemptions of 1, 2, … minor units in turns of both currencies, each with its payout. */
async function place(count: number, on: Ledger = ledger): Promise<void> {
  await sql`
    with placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, digest)
      select gen_random_uuid(), 'redeem', ${customer.profile}, ${customer.address}, 'chiado', case when n % 2 = 0 then 'eur' else 'gbp' end, n, '{}', '',
        gen_random_uuid()::text
      from generate_series(1, ${count}::int) n returning *
    )
    insert into legs (order_id, kind, position, chain, currency, account, amount, state, signed_by)
    select id, 'redeem', 0, chain, currency, address, amount, case when amount % 3 = 0 then 'waiting' else 'ready' end, 'key' from placed
    union all select id, 'payout', 1, null, currency, null, amount, 'waiting', 'nobody' from placed
  `.execute(on);
}

async function sums(): Promise<unknown> {
  const { rows } = await sql`
    select account, chain, currency, sum(amount)::bigint as amount from ${openRedemptions.sums} s group by 1, 2, 3 having sum(amount) <> 0 order by 3, 1
  `.execute(ledger);
  return rows;
}

async function legsThemselves(): Promise<unknown> {
  const { rows } = await sql`
    select account, chain, currency, sum(amount)::bigint as amount from legs
    where kind = 'redeem' and state in ('waiting', 'ready', 'sent') group by 1, 2, 3 order by 3, 1
  `.execute(ledger);
  return rows;
}

it('the sums are those of the open redemptions after every change of legs', async () => {
  await place(12);
  await sql`insert into transactions (chain, signer, nonce, kind, currency, gas_limit, sent_at_block) values ('chiado', '0x1', 0, 'redeem', 'eur', 1, 1)`.execute(
    ledger,
  );
  const changes = [
    sql`update legs set claimed_by = '0x1', token = '0x2' where kind = 'redeem'`,
    sql`update legs set state = 'sent', transaction = (select id from transactions) where amount < 7`,
    sql`update legs set state = 'done', tx_hash = '0x3' where amount in (2, 3) or kind = 'payout'`,
    sql`update legs set state = 'refused', reason = 'because' where amount in (4, 5, 11) and kind = 'redeem'`,
    sql`update legs set state = 'void' where amount = 12`,
    // As in a recovery: one that was refused is open again, while another ends.
    sql`update legs set state = case amount when 5 then 'ready' else 'refused' end where amount in (5, 8) and kind = 'redeem'`,
    sql`update legs set state = 'ready' where amount = 4 and kind = 'redeem'`,
    sql`update legs set account = '0x9', state = 'refused' where amount = 6 and kind = 'redeem'`,
    sql`update legs set state = 'ready' where amount = 6 and kind = 'redeem'`,
  ];
  for (const change of changes) {
    await change.execute(ledger);
    expect(await sums()).toEqual(await legsThemselves());
  }
});

it('placing redemptions does not wait for those that end redemptions of the same account', async () => {
  await place(2);
  await inTransaction(ledger, async (ending) => {
    await sql`update legs set state = 'refused' where kind = 'redeem' and state = 'ready'`.execute(ending);
    await inTransaction(ledger, async (placing) => {
      await sql`set local lock_timeout = '2s'`.execute(placing);
      await place(2, placing);
    });
  });
  expect(await sums()).toEqual(await legsThemselves());
});
