import { composeIBAN } from 'ibantools';
import { type Hex, keccak256, stringToHex } from 'viem';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import type { LowerAddress } from '../../../src/platform/addresses.ts';
import { tokenAddress } from '../node/token-address.ts';
import { contractAccountKinds } from '../node/contract-accounts.ts';
import type { SimulatedDatabase } from './simulated-database.ts';

/** A customer with one account. They are the same in all runs. */
export interface Customer {
  profile: string;
  iban: string;
  account: LowerAddress;
  /** Undefined for a contract account. */
  privateKey: Hex | undefined;
  /** The kind of a contract account. */
  contract: keyof typeof contractAccountKinds | undefined;
}

const chain = 'chiado';
const keyHolders = 5;

/** The private key of a name. */
export function keyOf(name: string): Hex {
  return keccak256(stringToHex(name));
}

/** The address of a private key. */
export function addressOf(privateKey: Hex): LowerAddress {
  return createKeySigner(privateKey).address;
}

/** All customers: some with keys, one with each kind of contract account, and one whose account is the token itself, which cannot hold any. */
export const customers: readonly Customer[] = [
  ...Array.from({ length: keyHolders }, (_, index) => withKey(index)),
  ...(Object.keys(contractAccountKinds) as (keyof typeof contractAccountKinds)[]).map((kind, index) =>
    withContract(kind, keyHolders + index),
  ),
  { ...named(99), privateKey: undefined, account: tokenAddress, contract: undefined },
];

function withKey(number: number): Customer {
  const privateKey = keyOf(`holder ${number}`);
  return { ...named(number), privateKey, account: addressOf(privateKey), contract: undefined };
}

function withContract(contract: keyof typeof contractAccountKinds, number: number): Customer {
  const account = keccak256(stringToHex(contract)).slice(0, 42) as LowerAddress;
  return { ...named(number), privateKey: undefined, account, contract };
}

function named(number: number): Pick<Customer, 'profile' | 'iban'> {
  const bban = `0159${String(number).padStart(18, '0')}`;
  return { profile: uuidOf(number), iban: composeIBAN({ countryCode: 'IS', bban }) as string };
}

function uuidOf(number: number): string {
  return `10000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Writes the customers into the ledger: approved, with linked addresses and IBANs. */
export async function insertCustomers(database: SimulatedDatabase): Promise<void> {
  for (const { profile, iban, account } of customers) {
    await database.query(`insert into users (id, email, name) values ($1::uuid, $1::uuid || '@example.com', 'Anna')`, [profile]);
    await database.query(
      `insert into profiles (id, kind, name, state, owner) values ($1::uuid, 'personal', 'Anna Karlsson', 'approved', $1::uuid)`,
      [profile],
    );
    await database.query('insert into addresses (address, profile) values ($1, $2)', [account, profile]);
    await database.query('insert into address_links (address, chain, linked_by) values ($1, $2, $3)', [account, chain, profile]);
    await database.query(
      `insert into ibans (id, profile, iban, bic, address, chain, state) values ($1::uuid, $1::uuid, $2, 'MNTRIS22', $3, $4, 'approved')`,
      [profile, iban, account, chain],
    );
  }
}
