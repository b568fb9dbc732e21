import { expect, test } from 'vitest';
import { counterpartBody } from '../../src/wire/order.ts';

const details = { name: 'Ada' };

test('a payer whose account has no valid IBAN is an `account`, with what the bank named', () => {
  const identifier = { standard: 'account', accountNumber: '31926819', clearingSystem: 'GBDSC', clearingCode: '200415' } as const;
  expect(counterpartBody({ identifier, details })).toEqual({ identifier, details });
});

test('so is a payer without an IBAN in an order or event that was stored before there was `account`', () => {
  expect(counterpartBody({ identifier: { standard: 'iban' }, details })).toEqual({ identifier: { standard: 'account' }, details });
});
