import { beforeEach, describe, expect, it } from 'vitest';
import { type Acknowledgement, acknowledgeBreach } from '../../../src/ledger/reserve/acknowledge-breach.ts';
import { acknowledgedBreaches, openBreaches } from '../../../src/ledger/reserve/breaches.ts';
import { compareAmounts } from '../../../src/ledger/reserve/comparison.ts';
import { createLog } from '../../../src/platform/log.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { type BreachWatch, createBreachWatch } from '../../../src/workers/comparisons/breach-watch.ts';
import { testLedger } from '../../support/test-ledger.ts';

const database = testLedger();
const { ledger } = database;
let watch: BreachWatch;
let account = '';

beforeEach((context) => {
  // Each test has an account of its own.
  account = context.task.name;
  watch = createBreachWatch({ ledger, log: createLog('silent') });
});

/** Compares several times in a row, with these differences in minor units. */
async function differ(...differences: number[]): Promise<void> {
  await differIn('index', ...differences);
}

async function differIn(comparison: 'index' | 'bank', ...differences: number[]): Promise<void> {
  for (const difference of differences) {
    const subject = { comparison, currency: 'eur', account, chain: comparison === 'bank' ? '' : 'chiado' } as const;
    const amounts = { expected: minorUnits(100n), actual: minorUnits(100n + BigInt(difference)), items: [] };
    await watch.judge([compareAmounts(subject, amounts)]);
  }
}

const isHere = (breach: { account: string }) => breach.account === account;
const open = async () => (await openBreaches(ledger)).filter(isHere).map(({ difference }) => Number(difference));
const acknowledged = async () => (await acknowledgedBreaches(ledger)).filter(isHere).map(({ difference }) => Number(difference));

async function acknowledge(...amounts: number[]): Promise<void> {
  const items = amounts.map((amount) => ({ text: 'explained', amount: minorUnits(BigInt(amount)) }));
  const acknowledgement: Acknowledgement = { currency: 'eur', comparison: 'index', account, reason: 'known', items, operator: 'otto' };
  await acknowledgeBreach(ledger, acknowledgement);
}

describe('a difference', () => {
  it('is a breach when three comparisons in a row show it, and none before', async () => {
    await differ(7, 7, 0, 7, 7);
    expect(await open()).toEqual([]);
    await differ(7);
    expect(await open()).toEqual([7]);
  });

  it('is a breach, too, when it is another each time', async () => {
    await differ(...Array.from({ length: 11 }, (_, index) => index + 1));
    expect(await open()).toEqual([]);
    await differ(12);
    expect(await open()).toEqual([12]);
  });

  it('that changes while the breach is open is what has to be explained', async () => {
    await differ(7, 7, 7, 9, 9, 9);
    expect(await open()).toEqual([9]);
    await expect(acknowledge(7)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('The items add up to') as string,
    });
    await acknowledge(10, -1);
    expect(await open()).toEqual([]);
  });

  it('that is gone leaves the breach open for the operator, with nothing to explain', async () => {
    await differ(7, 7, 7, 0, 0, 0);
    expect(await open()).toEqual([0]);
    await acknowledge();
    expect([await open(), await acknowledged()]).toEqual([[], []]);
  });
});

const records = () =>
  ledger
    .selectFrom('reserveBreaches')
    .where('account', '=', account)
    .select(['difference', 'acknowledgedBy', 'reason'])
    .select((eb) => eb('endedAt', 'is not', null).as('isOver'))
    .execute();

describe('a difference with the bank', () => {
  it('that later reports explain ends by itself, recorded', async () => {
    await differIn('bank', 7, 7, 7, 0, 0);
    expect(await open()).toEqual([7]);
    await differIn('bank', 0);
    expect([await open(), await acknowledged()]).toEqual([[], []]);
    expect(await records()).toEqual([
      { difference: '7', acknowledgedBy: 'mintrail', reason: 'later reports of the bank explain it', isOver: true },
    ]);
    await differIn('bank', 7, 7, 7);
    expect(await open()).toEqual([7]);
  });
});

describe('an acknowledged difference', () => {
  it('is no breach while it stays, and one over the rest when it changes', async () => {
    await differ(7, 7, 7);
    await acknowledge(7);
    await differ(7, 7, 7, 7);
    expect(await open()).toEqual([]);
    await differ(12, 12, 12);
    expect(await open()).toEqual([5]);
    await acknowledge(5);
    await differ(12, 12, 12);
    expect([await open(), await acknowledged()]).toEqual([[], [7, 5]]);
  });

  it('ends when it is gone: the same difference later is a new breach', async () => {
    await differ(7, 7, 7);
    await acknowledge(7);
    await differ(0, 0, 0);
    expect(await acknowledged()).toEqual([]);
    await differ(7, 7, 7);
    expect(await open()).toEqual([7]);
  });
});

it('is larger than a bigint when somebody forged that much', async () => {
  const subject = { comparison: 'index', currency: 'gbp', account, chain: 'chiado' } as const;
  const comparison = compareAmounts(subject, { expected: minorUnits(0n), actual: minorUnits(2n ** 70n), items: [] });
  for (let turn = 0; turn < 3; turn += 1) await watch.judge([comparison]);
  expect((await openBreaches(ledger)).find(isHere)).toMatchObject({ difference: 2n ** 70n });
});
