import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import { collapsed, elementAt, textAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import { realReference } from '../placeholder.ts';

/** An account as the bank identifies it: exactly one field is there. */
export interface Account {
  /** Valid, without spaces, upper case. */
  iban?: string;
  /** Given as an IBAN but not a valid one. */
  invalidIban?: string;
  /** A domestic number, proxy or other identification, white space removed, upper case. */
  other?: string;
}

/**
 * The account of `Acct`, `CdtrAcct` or `DbtrAcct`: `Id/IBAN`, else `Id/Othr/Id`, which may hold an IBAN too (any
 * `SchmeNm`), else the alias `Prxy/Id`. `undefined` when the bank says nothing.
 */
export function accountOf(account: Element | undefined): Account | undefined {
  const iban = textAt(account, 'Id', 'IBAN');
  if (iban !== undefined) {
    const valid = validIban(iban);
    return valid === undefined ? { invalidIban: iban } : { iban: valid };
  }
  const other = realReference(elementAt(account, 'Id', 'Othr', 'Id')?.text) ?? collapsed(textAt(account, 'Prxy', 'Id'));
  if (other === undefined) return undefined;
  const valid = validIban(other);
  return valid === undefined ? { other: other.replace(/\s/g, '').toUpperCase() } : { iban: valid };
}

/** The identification of an account in one word. */
export function accountName(account: Account): string {
  return account.iban ?? account.other ?? (account.invalidIban ?? '').replace(/\s/g, '').toUpperCase();
}

/**
 * Whether a domestic number names the account of an IBAN, whose digits end with it (most countries) or contain it.
 * Five characters at least: shorter ones would be found in any IBAN.
 */
export function namesSameAccount(other: string, iban: string): boolean {
  const number = other.replace(/[^A-Z0-9]/g, '').replace(/^0+/, '');
  return number.length >= 5 && iban.slice(4).includes(number);
}

function validIban(text: string): string | undefined {
  const iban = electronicFormatIBAN(text) ?? '';
  return isValidIBAN(iban) ? iban : undefined;
}
