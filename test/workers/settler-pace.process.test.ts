import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordAudit } from '../../src/ledger/recovery/outcome-audits.ts';
import { listOpenOutcomes } from '../../src/ledger/recovery/unrecorded-outcomes.ts';
import { compareBookWithIndex } from '../../src/reconciliation/book-and-index.ts';
import { networkSettings } from '../../src/platform/settings.ts';
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

  // Rows of blocks that were looked at already, as after a restart of Ponder. One that the chain does not have does not bring the blocks back.
  const late = await settling.credit(300n);
  await settling.send('issue');
  await fund(settling, 1n, 2_000_000n);
  await settling.network.rpc.mine({ blocks: 20 });
  await index.follow();
  const isLate = `sequence = 2000000 or order_id = '${late}'`;
  await pool.query(`create table kept as select * from idx_chiado.outcome where ${isLate}`);
  await pool.query(`update idx_chiado.outcome set tx_hash = '0x${'ab'.repeat(32)}' where ${isLate}`);
  await settler.turn();
  await pool.query(`delete from idx_chiado.outcome where ${isLate}; insert into idx_chiado.outcome select * from kept`);
  await settler.turn();
  expect((await ledger.selectFrom('orders').where('id', '=', late).select('state').executeTakeFirst())?.state).toBe('pending');
  expect(await listOpenOutcomes(ledger, 10)).toEqual([]);
  await settling.settlerWith({}).turn();
  expect(await settling.order(late)).toMatchObject({ state: 'processed' });
  expect(await settling.setAside()).toBe(1);
});

it('looks at nothing while the indexer is not ready, because Ponder has no indexes then and waits for those who read', async () => {
  const { pool, index, network, settler } = settling;
  const order = await settling.redeem(60n);
  await settling.send('redeem');
  await network.rpc.mine({ blocks: 20 });
  await index.follow();
  const setReady = (isReady: 0 | 1) =>
    pool.query(`update idx_chiado._ponder_meta set value = jsonb_set(value, '{is_ready}', '"${isReady}"')`);
  const state = async () => (await settling.leg(order.id, 'redeem')).state;
  await setReady(0);
  await settler.turn();
  expect([await state(), await compareBookWithIndex(settling.ledger, networkSettings(network.settings, 'chiado'))]).toEqual([
    'sent',
    undefined,
  ]);
  await setReady(1);
  await settler.turn();
  expect(await state()).toBe('done');
});

it('looks at all sent legs, and at no audited block, until the index could be read once', async () => {
  const { pool, index, ledger, network } = settling;
  const order = await settling.redeem(70n);
  await settling.record('redeem');
  await fund(settling, 1n, 3_000_000n);
  await network.rpc.mine({ blocks: 20 });
  await index.follow();
  await recordAudit(ledger, 'chiado', await network.rpc.getBlockNumber({ cacheTime: 0 }));
  const settler = settling.settlerWith({});
  await pool.query('alter table idx_chiado.outcome rename to outcome_away');
  await settler.turn();
  await pool.query('alter table idx_chiado.outcome_away rename to outcome');
  const row = {
    kind: 'redeem' as const,
    txHash: `0x${'cd'.repeat(32)}`,
    token: settling.token,
    orderId: order.id,
    messageHash: order.messageHash,
  };
  await index.insert({ ...row, blockNumber: 3n, account: settling.customer.address, amount: 1n });
  await settler.turn();
  // Only the look at all sent legs raises it.
  expect(settling.alarms.list().map(({ kind }) => kind)).toContain('outcome_disagrees');
  expect(await listOpenOutcomes(ledger, 10)).toEqual([]);
});
