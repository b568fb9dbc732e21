import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import { realReference } from '../placeholder.ts';
import { collapseWhiteSpace, type Element, elementAt, textAt } from '../xml/element.ts';

/** A bank account as a statement identifies it: exactly one field is set. */
export interface Account {
  /** Valid, without spaces, upper case. */
  iban?: string;
  /** The content of an `IBAN` element that is not a valid IBAN. */
  invalidIban?: string;
  /** A domestic number, proxy or other identification, without white space, upper case. */
  other?: string;
}

/**
 * The account in an `Acct`, `CdtrAcct` or `DbtrAcct` element: `Id/IBAN`, else `Id/Othr/Id` (under any scheme, so it may
 * be an IBAN too), else the proxy `Prxy/Id`. `undefined` when the account is not identified.
 */
export function accountOf(account: Element | undefined): Account | undefined {
  const iban = textAt(account, 'Id', 'IBAN');
  if (iban !== undefined) {
    const valid = validIban(iban);
    return valid === undefined ? { invalidIban: iban } : { iban: valid };
  }
  const other = realReference(elementAt(account, 'Id', 'Othr', 'Id')?.text) ?? collapseWhiteSpace(textAt(account, 'Prxy', 'Id'));
  if (other === undefined) return undefined;
  const valid = validIban(other);
  return valid === undefined ? { other: other.replace(/\s/g, '').toUpperCase() } : { iban: valid };
}

/** Whatever identifies the account, without white space, upper case. */
export function accountId(account: Account): string {
  return account.iban ?? account.other ?? (account.invalidIban ?? '').replace(/\s/g, '').toUpperCase();
}

/**
 * Whether a domestic account number is part of an IBAN, as national formats contain it. Numbers of fewer than five
 * characters would occur in any IBAN by chance, so they never match.
 */
export function isNumberOfIban(accountNumber: string, iban: string): boolean {
  const number = accountNumber.replace(/[^A-Z0-9]/g, '').replace(/^0+/, '');
  return number.length >= 5 && iban.slice(4).includes(number);
}

function validIban(text: string): string | undefined {
  const iban = electronicFormatIBAN(text) ?? '';
  return isValidIBAN(iban) ? iban : undefined;
}
