import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeIssue } from '../../../src/chain/token/calls.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { transact } from '../../support/chain/local-chain.ts';
import { operator } from '../../support/chain/network.ts';
import { type SteppedLane, startSteppedLane } from '../../support/chain/stepped-lane.ts';

let at: SteppedLane;
beforeEach(async () => void (at = await startSteppedLane()));
afterEach(() => at?.close());

it('issues nothing while the contract has used numbers that the ledger has not given out, and goes on behind them', async () => {
  const token = at.network.tokens.eur as `0x${string}`;
  const item = { orderId: randomUUID(), account: at.customer.address, amount: minorUnits(700n), sequence: 5n };
  await transact(at.network.rpc, { from: operator, to: token, data: encodeIssue([item]), gas: 1_000_000n });
  await at.credit(500n);
  await at.blocks(4);
  expect(await at.transactions()).toEqual([]);
  expect(at.alarmsOf('ledger_behind')).toEqual([expect.stringMatching(/earlier back-up.*operator key/)]);
  // The audit of outcomes has found the issue, and an operator has explained it.
  await at.ledger
    .insertInto('tokenSequences')
    .values({ chain: 'chiado', token: lowerAddress(token), next: 6n })
    .execute();
  await at.blocks(2);
  expect(await at.transactions()).toMatchObject([{ kind: 'issue' }]);
  expect(at.alarmsOf('ledger_behind')).toEqual([]);
  expect(await at.balance()).toBe(1_200n);
});
