import { type RawBuilder, sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { openRedemptions } from '../../../src/ledger/orders/pending-redemptions.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { beginLegs } from '../../../src/ledger/orders/legs/begin-legs.ts';
import { endLegs, isVoid } from '../../../src/ledger/orders/legs/end-legs.ts';
import { openAgain } from '../../../src/ledger/orders/legs/open-again.ts';

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
    ), ${beginLegs(sql`
      select id, 'redeem', 0, chain, currency, address, amount, case when amount % 3 = 0 then 'waiting' else 'ready' end, 'key', null::text, null::timestamptz
      from placed
      union all select id, 'payout', 1, null, currency, null, amount, 'waiting', 'nobody', null, null from placed`)}
    select
  `.execute(on);
}

const end = (which: RawBuilder<unknown>, outcome: RawBuilder<unknown>) =>
  sql`with ${endLegs(sql`where ${which}`, outcome)} select from ended`;

async function sums(): Promise<unknown> {
  const { rows } = await sql`
    select account, chain, currency, sum(amount)::bigint as amount from ${openRedemptions.sums} s group by 1, 2, 3 having sum(amount) <> 0 order by 3, 1
  `.execute(ledger);
  return rows;
}

async function legsThemselves(): Promise<unknown> {
  const { rows } = await sql`
    select account, chain, currency, sum(amount)::bigint as amount from open_legs where kind = 'redeem' group by 1, 2, 3 order by 3, 1
  `.execute(ledger);
  return rows;
}

it('the sums are those of the open redemptions after every change of legs', async () => {
  await place(12);
  await sql`insert into transactions (chain, signer, nonce, kind, currency, gas_limit, sent_at_block) values ('chiado', '0x1', 0, 'redeem', 'eur', 1, 1)`.execute(
    ledger,
  );
  const changes = [
    sql`update open_legs set claimed_by = '0x1', token = '0x2' where kind = 'redeem'`,
    sql`update open_legs set state = 'sent', transaction = (select id from transactions) where amount < 7`,
    end(sql`amount in (2, 3) or kind = 'payout'`, sql`'done', '0x3', 7, null::text`),
    end(sql`amount in (4, 5, 11) and kind = 'redeem'`, sql`'refused', '0x3', 7, 'because'`),
    end(sql`amount = 12`, isVoid),
    // As in a recovery: some that were refused are open again, while another ends.
    sql`with ${openAgain(sql`select * from leg_history where amount = 5 and kind = 'redeem'`)}, ${endLegs(sql`where amount = 8 and kind = 'redeem'`, isVoid)}
      select from ended`,
    sql`with ${openAgain(sql`select * from leg_history where amount = 4 and kind = 'redeem'`)} select from opened_again`,
  ];
  for (const change of changes) {
    await change.execute(ledger);
    expect(await sums()).toEqual(await legsThemselves());
  }
});

it('placing redemptions does not wait for those that end redemptions of the same account', async () => {
  await place(2);
  await inTransaction(ledger, async (ending) => {
    await end(sql`kind = 'redeem' and state = 'ready'`, sql`'refused', null::text, null::bigint, 'because'`).execute(ending);
    await inTransaction(ledger, async (placing) => {
      await sql`set local lock_timeout = '2s'`.execute(placing);
      await place(2, placing);
    });
  });
  expect(await sums()).toEqual(await legsThemselves());
});
