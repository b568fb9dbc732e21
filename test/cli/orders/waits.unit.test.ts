import { describe, expect, it } from 'vitest';
import { describeWait } from '../../../src/cli/orders/waits.ts';
import type { LegWait } from '../../../src/ledger/orders/leg-waits.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';

const now = new Date('2026-05-06T03:00:00Z');
const lane = lowerAddress(`0x${'5'.repeat(40)}`);

const wait: LegWait = {
  kind: 'issue',
  state: 'ready',
  chain: 'chiado',
  since: new Date('2026-05-06T02:55:00Z'),
  failures: 0,
  claimedBy: null,
  heldUntil: null,
  heldFor: null,
  untilBlock: null,
  setAsideBefore: null,
  breaches: [],
  txState: null,
  txHash: null,
  nonce: null,
  signer: null,
  block: null,
  payment: null,
  paymentSentAt: null,
  bankStatus: null,
  dependentOrder: null,
  signatureIsOnChain: null,
};

const breach = { comparison: 'bank', currency: 'eur', account: 'assets:bank:IS14', difference: minorUnits(5n) } as const;

describe('what a leg waits for', () => {
  const cases: [Partial<LegWait>, string][] = [
    [{}, 'issue waits for a lane of chiado, due for 5 min'],
    [{ claimedBy: lane }, `issue waits for the lane of ${lane}, which has claimed it, due for 5 min`],
    [
      { heldUntil: now, heldFor: 'dust' },
      'issue waits for others to share a transaction with, until 2026-05-06T03:00:00Z at most, due for 5 min',
    ],
    [{ heldUntil: now, heldFor: 'gas_budget' }, "issue waits for its profile's gas budget, at 2026-05-06T03:00:00Z, due for 5 min"],
    [
      { kind: 'redeem', untilBlock: 9n },
      'redeem waits for a lane of chiado, not before block 9, because redemptions of its account failed, due for 5 min',
    ],
    [
      { setAsideBefore: 'U' },
      "issue waits for an operator, because chiado has an issue under its order's id, U, which was set aside before the order waited for one: see `mintrail recover`, due for 5 min",
    ],
    [
      { breaches: [breach] },
      "issue waits for an operator: no eur is issued before each breach is explained and acknowledged, as `mintrail reconcile` says: the book and the bank's balance differ by 0.05 eur on assets:bank:IS14, due for 5 min",
    ],
    [
      { kind: 'payout', chain: null, payment: 'P', breaches: [breach, { ...breach, account: 'assets:bank:IS15' }] },
      "payout waits for an operator: no eur is paid before each breach is explained and acknowledged, as `mintrail reconcile` says: the book and the bank's balance differ by 0.05 eur on assets:bank:IS14; the book and the bank's balance differ by 0.05 eur on assets:bank:IS15, due for 5 min",
    ],
    [{ failures: 3 }, 'issue waits for a lane of chiado, due for 5 min; transactions that did not carry it out: 3'],
    [
      { state: 'sent', txState: 'sent', txHash: '0xa', nonce: 7n, signer: lane },
      `issue waits for a block with transaction 0xa, nonce 7 of ${lane}, due for 5 min`,
    ],
    [
      { state: 'sent', txState: 'mined', txHash: '0xa', block: 9n },
      'issue waits for the confirmation of block 9 with transaction 0xa, due for 5 min',
    ],
    [{ state: 'waiting', signatureIsOnChain: true }, 'issue waits for the signature that its account gives on chain, due for 5 min'],
    [{ kind: 'payout', state: 'waiting' }, 'payout waits for the leg before it, due for 5 min'],
    [{ kind: 'payout', state: 'sent', dependentOrder: 'ID' }, 'payout waits for the order ID on chiado, due for 5 min'],
    [{ kind: 'payout', chain: null }, 'payout waits for its payment, due for 5 min'],
    [{ kind: 'payout', state: 'sent', chain: null, payment: 'P' }, 'payout waits for a payment file with payment P, due for 5 min'],
    [
      { kind: 'payout', state: 'sent', chain: null, payment: 'P', paymentSentAt: now, bankStatus: 'ACSP' },
      'payout waits for the bank, which has payment P since 2026-05-06T03:00:00Z (ACSP), due for 5 min',
    ],
  ];
  for (const [changes, text] of cases)
    it(text, () => {
      expect(describeWait({ ...wait, ...changes }, now)).toBe(text);
    });
});
