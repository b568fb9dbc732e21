import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeIssue } from '../../src/chain/token/calls.ts';
import { beginRecovery } from '../../src/ledger/recoveries.ts';
import { recover } from '../../src/ledger/recovery/recover.ts';
import { minorUnits } from '../../src/platform/money.ts';
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
