import { randomUUID } from 'node:crypto';
import { composeIBAN } from 'ibantools';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type LowerAddress, lowerAddress } from '../../src/platform/addresses.ts';
import type { Chain } from '../../src/platform/chains.ts';

export interface TestCustomer {
  user: string;
  profile: string;
  iban: string;
  address: LowerAddress;
  privateKey: `0x${string}`;
}

let numbers = Date.now() % 1_000_000_000;

/** A customer of whom no ledger knows yet, by the number of the account at the bank. */
export function newCustomer(number = (numbers += 1)): TestCustomer {
  return customerOf({ user: randomUUID(), profile: randomUUID(), number, privateKey: generatePrivateKey() });
}

/** The customer of a private key whose account has this number at its bank. */
export function customerOf({ number, ...ids }: Pick<TestCustomer, 'user' | 'profile' | 'privateKey'> & { number: number }): TestCustomer {
  const iban = composeIBAN({ countryCode: 'IS', bban: `0159${String(number).padStart(18, '0')}` }) as string;
  return { ...ids, iban, address: lowerAddress(privateKeyToAccount(ids.privateKey).address) };
}

/** Writes an approved profile with a linked address and an IBAN straight into the ledger. */
export async function createCustomer(ledger: Ledger, chain: Chain, customer = newCustomer()): Promise<TestCustomer> {
  const { user, profile, iban, address } = customer;
  await ledger
    .insertInto('users')
    .values({ id: user, email: `${user}@example.com`, name: 'Anna', defaultProfile: null })
    .execute();
  await ledger
    .insertInto('profiles')
    .values({ id: profile, kind: 'personal', name: 'Anna Karlsson', state: 'approved', owner: user, application: null })
    .execute();
  await ledger.updateTable('users').set({ defaultProfile: profile }).where('id', '=', user).execute();
  await ledger.insertInto('addresses').values({ address, profile }).execute();
  await ledger.insertInto('addressLinks').values({ address, chain, linkedBy: user }).execute();
  await ledger.insertInto('ibans').values({ profile, iban, bic: 'MNTRIS22', address, chain, state: 'approved' }).execute();
  return customer;
}
