import { afterAll, beforeAll, expect, it } from 'vitest';
import { fund, type Settling, startSettling } from './settling.ts';

let settling: Settling;
beforeAll(async () => void (settling = await startSettling({}, 1_000_000)));
afterAll(() => settling?.stop());

it('ends legs by the outcomes of new blocks between two looks at all sent legs, and misses none that come late', async () => {
  const { settler, pool, index, ledger } = settling;
  await fund(settling, 1_000n);
  const first = await settling.credit(100n);
  await settling.send('issue');
  // The first turn looks at all sent legs; the next look is days away.
  await settling.settle(20);
  expect(await settling.order(first)).toMatchObject({ state: 'processed' });
  await settling.setAside();

  const [issue, redemption] = [await settling.credit(200n), await settling.redeem(50n)];
  await settling.send('issue');
  const burn = await settling.send('redeem');
  await settling.settle(20);
  expect(await settling.order(issue)).toMatchObject({ state: 'processed' });
  expect(await settling.order(redemption.id)).toMatchObject({ state: 'pending', txHashes: [burn] });

  // The row of a block that was looked at already, as after a restart of Ponder.
  const late = await settling.credit(300n);
  await settling.send('issue');
  await settling.network.rpc.mine({ blocks: 20 });
  await index.follow();
  await pool.query(`create table kept as select * from idx_chiado.outcome where order_id = $1`, [late]);
  await pool.query(`delete from idx_chiado.outcome where order_id = $1`, [late]);
  await settler.turn();
  await pool.query('insert into idx_chiado.outcome select * from kept');
  await settler.turn();
  expect((await ledger.selectFrom('orders').where('id', '=', late).select('state').executeTakeFirst())?.state).toBe('pending');
  await settling.settlerWith({}).turn();
  expect(await settling.order(late)).toMatchObject({ state: 'processed' });
});
