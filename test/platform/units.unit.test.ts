import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { formatTokenUnits } from '../../src/api/orders/balances.ts';
import { type LowerAddress, lowerAddress } from '../../src/platform/addresses.ts';
import { asChain, chainFacts } from '../../src/platform/chains.ts';
import {
  formatAmount,
  type MinorUnits,
  minorUnits,
  parseAmount,
  parseTokenUnits,
  toMinorUnits,
  toTokenUnits,
  tokenUnits,
} from '../../src/platform/money.ts';

/** Each line below `@ts-expect-error` must be an error of the compiler: the check of types fails where it is none. */

const cents = minorUnits(1050n);
const units = tokenUnits(1_050n * 10n ** 16n);

it('tells minor units from token units when types are checked', () => {
  expect(toTokenUnits(cents)).toBe(units);
  expect(toMinorUnits(units)).toBe(cents);
  expect(formatAmount(cents)).toBe('10.50');
  expect(formatTokenUnits(units)).toBe('10.50');
  // @ts-expect-error -- token units are not formatted as minor units
  formatAmount(units);
  // @ts-expect-error -- minor units are not formatted as token units
  formatTokenUnits(cents);
  // @ts-expect-error -- token units are not converted twice
  toTokenUnits(units);
  // @ts-expect-error -- minor units are not converted twice
  toMinorUnits(cents);
  // @ts-expect-error -- a number says nothing of its unit
  formatAmount(1050n);
  // @ts-expect-error -- the result of a computation gets its unit from whoever knows it
  const doubled: MinorUnits = cents * 2n;
  expect(doubled).toBe(2100n);
});

it('gives parsed amounts their unit', () => {
  const amount = parseAmount('10.50') ?? minorUnits(0n);
  const exact = parseTokenUnits('10.50') ?? tokenUnits(0n);
  expect(toTokenUnits(amount)).toBe(exact);
  // @ts-expect-error -- parsed token units are no minor units
  toTokenUnits(exact);
});

it('takes no string for a chain', () => {
  const name: string = 'gnosis';
  expect(chainFacts(asChain(name)).id).toBe(100);
  // @ts-expect-error -- only `asChain` makes a chain of a string
  chainFacts(name);
  // @ts-expect-error -- a misspelled name
  expect(chainFacts('gnossis')).toBeUndefined();
});

it('takes no checksummed address for one in lower case', () => {
  const checksummed = getAddress('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed');
  const lower = lowerAddress(checksummed);
  expect(lower).toBe('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed');
  expect(getAddress(lower)).toBe(checksummed);
  // @ts-expect-error -- only `lowerAddress` makes one, from an address in any case
  const kept: LowerAddress = checksummed;
  expect(kept).not.toBe(lower);
});
