import { english, generateMnemonic, mnemonicToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { adminAccount, fundedAccounts, makerKeys } from '../../sandbox/instance.ts';

it('derives the accounts of its mnemonic as Anvil and wallets do', () => {
  const mnemonic = generateMnemonic(english);
  const instance = { mnemonic, networks: {} };
  const expected = fundedAccounts(instance).map((_, addressIndex) => mnemonicToAccount(mnemonic, { addressIndex }).address);
  expect(fundedAccounts(instance)).toEqual(expected);
  expect(adminAccount(instance).address).toBe(expected[0]);
  expect(makerKeys(instance).address).toBe(expected[3]);
});
