import { Copyable, Iban } from '../design/hash.tsx';

/** Who paid or is paid, as far as the bank names somebody. */
export interface PartyFacts {
  name?: string | undefined;
  iban?: string | undefined;
  accountNumber?: string | undefined;
}

/** The name of a party, else its account. */
export function partyName({ name, iban, accountNumber }: PartyFacts): string {
  return name ?? iban ?? accountNumber ?? 'not named by the bank';
}

/** Whether the bank names an account of a party. */
export function hasAccount({ iban, accountNumber }: PartyFacts): boolean {
  return (iban ?? accountNumber) !== undefined;
}

/** The account of a party, to be copied; nothing when the bank names none. */
export function PartyAccount({ iban, accountNumber }: PartyFacts) {
  const account = iban ?? accountNumber;
  return account === undefined ? null : iban === undefined ? <Copyable value={account} /> : <Iban value={iban} />;
}
