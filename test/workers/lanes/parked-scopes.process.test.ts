import type { Address } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { createParkedScopes, gasScope } from '../../../src/workers/lanes/parked-scopes.ts';
import { execute } from '../../support/chain/local-chain.ts';
import { type SteppedLane, startSteppedLane } from '../../support/chain/stepped-lane.ts';

describe('the parked scopes of a lane', () => {
  const signer = createKeySigner(`0x${'1'.repeat(64)}`);

  function start() {
    let now = 0;
    const alarms = createAlarms(createLog('silent'), () => now);
    return { alarms, create: () => createParkedScopes({ signer, alarms, now: () => now }), pass: (ms: number) => (now += ms) };
  }

  it('are probed every five seconds, and raise an alarm until a probe goes through', () => {
    const { alarms, create, pass } = start();
    const parked = create();
    parked.park('issue eur', 'EnforcedPause()');
    parked.park(gasScope, 'holds 1 wei');
    expect(parked.waiting()).toEqual(['issue eur', gasScope]);
    expect(alarms.list().map(({ kind, text }) => [kind, text])).toEqual([
      ['lane_parked', `the lane of ${signer.address} does not send issue eur: EnforcedPause(). See \`mintrail token show\``],
      ['gas_money', 'holds 1 wei'],
    ]);
    pass(5_000);
    expect(parked.waiting()).toEqual([]);
    parked.unpark('issue eur');
    parked.unpark('redeem eur');
    expect(alarms.list().map(({ kind }) => kind)).toEqual(['gas_money']);
  });

  it('do not outlive their cause: without anything to probe with, their alarm ends after a minute', () => {
    const { alarms, create, pass } = start();
    const parked = create();
    parked.park('issue eur', 'EnforcedPause()');
    pass(60_000);
    parked.forgetOld();
    expect(alarms.list()).toHaveLength(1);
    pass(10_000);
    parked.forgetOld();
    expect(alarms.list()).toEqual([]);
  });

  it('keep their alarm when the lane is taken again after an error, and end it when a probe goes through', () => {
    const { alarms, create } = start();
    create().park('issue eur', 'EnforcedPause()');
    const again = create();
    expect(again.waiting()).toEqual([]);
    again.unpark('issue eur');
    expect(alarms.list()).toEqual([]);
  });
});

describe('a lane with nothing to send', () => {
  let lane: SteppedLane;

  beforeEach(async () => {
    lane = await startSteppedLane();
  });

  afterEach(() => lane.close());

  it('ends the alarm about a scope that it parked, when another lane has claimed what was ready', async () => {
    await execute(lane.network.rpc, lane.network.tokens.eur as Address, eMoneyTokenAbi, 'pause', []);
    await lane.credit(100n);
    await lane.turn();
    expect(lane.alarmsOf('lane_parked')).toHaveLength(1);
    await lane.ledger
      .updateTable('legs')
      .set({ claimedBy: lowerAddress(`0x${'b'.repeat(40)}`) })
      .execute();
    lane.clock.ahead += 70_000;
    await lane.turn();
    expect(lane.alarmsOf('lane_parked')).toEqual([]);
  });
});
