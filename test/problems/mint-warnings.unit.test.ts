import { describe, expect, it } from 'vitest';
import { minorUnits, toTokenUnits } from '../../src/platform/money.ts';
import { gasWarning, mintWarnings, type Operator } from '../../src/problems/mint-warnings.ts';

const thresholds = { allowanceDays: 7, dailyLimitPercent: 80, gasDays: 7 };
const euros = (amount: number) => toTokenUnits(minorUnits(BigInt(amount * 100)));

function operator({ allowance = 1_000, daily = 1_000, mintable = 1_000, perDay = 0 } = {}): Operator {
  return { address: '0x1', allowance: euros(allowance), daily: euros(daily), mintable: euros(mintable), usedPerDay: euros(perDay) };
}

const warned = (operators: Operator[], waiting = 0, given = thresholds) =>
  mintWarnings({ chain: 'gnosis', currency: 'eur', operators, waiting: minorUnits(BigInt(waiting * 100)) }, given);

const command =
  'have the admin raise it, `mintrail token allowance OPERATOR AMOUNT --chain gnosis --currency eur --daily-mint-limit AMOUNT`';

describe('mint limits', () => {
  it('are no warning while they last', () => {
    expect(warned([operator()])).toEqual([]);
    expect(warned([operator({ perDay: 142 })], 1_000)).toEqual([]);
    expect(warned([])).toEqual([]);
  });

  it('warn of what waits and exceeds all allowances together', () => {
    expect(warned([operator({ allowance: 35, mintable: 35 })], 60)).toEqual([
      {
        kind: 'allowance_low',
        subject: 'eur',
        detail: '60.00 EUR wait to be issued on gnosis, and its operators may issue 35.00 EUR',
        remedy: command,
      },
    ]);
    expect(warned([operator({ allowance: 35, mintable: 35 }), operator({ allowance: 25, mintable: 25 })], 60)).toEqual([]);
  });

  it('warn of what waits and exceeds what may be issued today', () => {
    expect(warned([operator({ mintable: 35, daily: 100 })], 60)).toMatchObject([{ kind: 'daily_limit_low', subject: 'eur' }]);
  });

  it('warn of an allowance that ends at the rate of lately, and of one that is empty', () => {
    expect(warned([operator({ allowance: 35, mintable: 35, perDay: 10 })])).toMatchObject([
      {
        kind: 'allowance_low',
        subject: '0x1 eur',
        detail: '0x1 may issue 35.00 EUR more on gnosis, which is used up in 3 days at the 10.00 EUR a day of lately',
      },
    ]);
    expect(warned([operator({ allowance: 0, mintable: 0 })])).toMatchObject([
      { detail: 'nothing can be issued of eur on gnosis: no operator has any mint allowance' },
    ]);
  });

  it('are no warning of an operator whose role was taken away: nobody raises what a stolen key may issue', () => {
    const stolen = operator({ allowance: 0, daily: 0, mintable: 0, perDay: 100 });
    expect(warned([stolen, operator()])).toEqual([]);
    expect(warned([operator({ allowance: 0, mintable: 0, perDay: 100 }), operator()])).toMatchObject([{ kind: 'allowance_low' }]);
  });

  it('warn of a day of which most is issued', () => {
    expect(warned([operator({ daily: 100, mintable: 20 })])).toMatchObject([
      { kind: 'daily_limit_low', detail: '0x1 has issued 80.00 EUR of the 100.00 EUR that it may issue on gnosis in a day of UTC' },
    ]);
    expect(warned([operator({ daily: 100, mintable: 21 })])).toEqual([]);
  });

  it('warn of nothing that the settings leave out', () => {
    const never = { allowanceDays: 0, dailyLimitPercent: 0, gasDays: 0 };
    expect(warned([operator({ allowance: 35, mintable: 5, daily: 100, perDay: 10 })], 0, never)).toEqual([]);
  });
});

it('gas money warns when it does not last, in the coin of the network', () => {
  const facts = { chain: 'gnosis', signer: '0x1', balance: 3n * 10n ** 18n, usedPerDay: 123_456_789_012_345_678n } as const;
  expect(gasWarning(facts, thresholds)).toBeUndefined();
  expect(gasWarning({ ...facts, balance: 5n * 10n ** 17n }, thresholds)).toBe(
    '0x1 holds 0.5 xDAI for gas, which is used up in 4 days at the 0.1235 xDAI a day of lately: send it more',
  );
});
