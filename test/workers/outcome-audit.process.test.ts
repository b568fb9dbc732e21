import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeIssue } from '../../src/chain/token/calls.ts';
import { beginRecovery } from '../../src/ledger/recoveries.ts';
import { countOpenOutcomes } from '../../src/ledger/recovery/unrecorded-outcomes.ts';
import { recover } from '../../src/ledger/recovery/recover.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { startFaultyRpc } from '../support/chain/rpc-faults.ts';
import { type Settling, startSettling, steal } from './settling.ts';

let settling: Settling;
beforeEach(async () => void (settling = await startSettling()));
afterEach(() => settling?.stop());

it('lets a recovery end only when the log is compared up to a head that was seen after it began', async () => {
  const { ledger, network, head, index, settler } = settling;
  const end = () => recover(ledger, { apply: true, operator: 'operator', chains: ['chiado'], defaultMemo: 'memo' });
  await settling.settle(1);
  await beginRecovery(ledger, 'operator');
  expect(await end()).toMatchObject({ isEnded: false, openCount: 0, uncompared: ['chiado'] });

  // The nodes do not answer: what is known of the head is old.
  Object.assign(head, { number: () => 1n, outage: () => 'no node answers' });
  await settling.settle(1);
  expect(await end()).toMatchObject({ isEnded: false, uncompared: ['chiado'] });

  // The index is behind the head.
  await steal(settling, encodeIssue([{ orderId: randomUUID(), account: settling.customer.address, amount: minorUnits(1n), sequence: 0n }]));
  const top = await network.rpc.getBlockNumber();
  Object.assign(head, { number: () => top, outage: () => undefined });
  await settler.turn();
  expect(await end()).toMatchObject({ isEnded: false, uncompared: ['chiado'] });

  await index.follow();
  await settler.turn();
  expect(await end()).toMatchObject({ isEnded: false, openCount: 1, uncompared: [] });
  await settling.setAside();
  expect(await end()).toMatchObject({ isEnded: true });
});

it('misses no outcome that the nodes did not prove before a later leg was settled, while no block of the index is final', async () => {
  const { ledger, network, index } = settling;
  const node = await startFaultyRpc(network.anvil.url);
  const settler = () => settling.settlerWith({ rpcUrls: [node.url] });
  try {
    await index.follow();
    await settler().turn();
    const item = { orderId: randomUUID(), account: settling.customer.address, amount: minorUnits(1n), sequence: 1_000n };
    const { transactionHash } = await steal(settling, encodeIssue([item]));
    const id = await settling.credit(500n);
    await settling.send('issue');
    await network.rpc.mine({ blocks: 4 });
    await index.follow();
    const hide = (receipt: unknown, [hash]: readonly unknown[]) => (hash === transactionHash ? null : receipt);
    await node.fail({ lies: { eth_getTransactionReceipt: hide } });
    await settler().turn();
    expect(await settling.leg(id, 'issue')).toMatchObject({ state: 'done' });
    expect(await countOpenOutcomes(ledger, 'chiado')).toEqual([]);
    await node.heal();
    await settler().turn();
    expect(await countOpenOutcomes(ledger, 'chiado')).toMatchObject([{ kind: 'issue', currency: 'eur' }]);
  } finally {
    await node.close();
  }
});
