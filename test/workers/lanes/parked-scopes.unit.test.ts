import { describe, expect, it } from 'vitest';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { createParkedScopes, gasScope } from '../../../src/workers/lanes/parked-scopes.ts';

describe('the parked scopes of a lane', () => {
  const signer = createKeySigner(`0x${'1'.repeat(64)}`);

  const paused = { scope: 'issue eur', reason: 'EnforcedPause()', waiting: 'issue' as const };

  function start() {
    let now = 0;
    const alarms = createAlarms(createLog('silent'), () => now);
    return { alarms, create: () => createParkedScopes({ signer, alarms, now: () => now }), pass: (ms: number) => (now += ms) };
  }

  it('are probed every five seconds, and raise an alarm until a probe goes through', () => {
    const { alarms, create, pass } = start();
    const parked = create();
    parked.park(paused);
    parked.park({ scope: gasScope, reason: 'holds 1 wei' });
    expect(parked.waiting()).toEqual(['issue eur', gasScope]);
    expect(alarms.list().map(({ kind, text, waiting, cause }) => [kind, text, waiting, cause])).toEqual([
      [
        'lane_parked',
        `the lane of ${signer.address} does not send issue eur: EnforcedPause(). See \`mintrail token show --chain NAME\``,
        'issue',
        'EnforcedPause()',
      ],
      ['gas_money', 'holds 1 wei', undefined, 'holds 1 wei'],
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
    parked.park(paused);
    pass(60_000);
    parked.forgetOld();
    expect(alarms.list()).toHaveLength(1);
    pass(10_000);
    parked.forgetOld();
    expect(alarms.list()).toEqual([]);
  });

  it('keep their alarm when the lane is taken again after an error, and end it when a probe goes through', () => {
    const { alarms, create } = start();
    create().park(paused);
    const again = create();
    expect(again.waiting()).toEqual([]);
    again.unpark('issue eur');
    expect(alarms.list()).toEqual([]);
  });
});
