import { countrySpecs, electronicFormatIBAN, isValidIBAN } from 'ibantools';
import { realReference } from '../placeholder.ts';
import { type Element, elementAt, textAt } from '../xml/element.ts';

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
  const other = realReference(elementAt(account, 'Id', 'Othr', 'Id')?.text) ?? textAt(account, 'Prxy', 'Id');
  const written = iban ?? other;
  if (written === undefined) return undefined;
  const valid = electronicFormatIBAN(written) ?? '';
  if (isValidIBAN(valid)) return { iban: valid };
  return iban === undefined ? { other: written.replace(/\s/g, '').toUpperCase() } : { invalidIban: iban };
}

/** Whatever identifies the account, without white space, upper case. */
export function accountId(account: Account): string {
  return account.iban ?? account.other ?? (account.invalidIban ?? '').replace(/\s/g, '').toUpperCase();
}

/**
 * Whether a domestic account number is that of an IBAN, leading zeros aside: its whole BBAN, or what of it follows the bank or the
 * branch, or is the account by the structure of the country (IBAN registry). Any other part of it would be in the IBAN of another account
 * by chance.
 */
export function isNumberOfIban(accountNumber: string, iban: string): boolean {
  const number = withoutZeros(accountNumber.replace(/[^A-Z0-9]/g, ''));
  return number.length >= shortestNumber && iban.includes(number) && numbersOf(iban).some((own) => withoutZeros(own) === number);
}

/** A shorter number is none of a bank account. */
const shortestNumber = 5;

/** The domestic numbers of an IBAN; none of one of a country that has none. */
function numbersOf(iban: string): string[] {
  const structure = countrySpecs[iban.slice(0, 2)];
  if (structure?.chars !== iban.length) return [];
  const { bank_identifier: bank, branch_indentifier: branch, account_indentifier: account } = structure;
  // The registry counts a bank and a branch from the BBAN, and the library an account from the IBAN.
  const [bban, [start, end]] = [iban.slice(4), rangeOf(account)];
  return [bban, bban.slice(rangeOf(bank)[1]), bban.slice(rangeOf(branch)[1]), iban.slice(start, end)];
}

/** Where `3-7` begins, and where it has ended; both 0 where the registry has no such part. */
function rangeOf(range: string | undefined): [number, number] {
  const [start = 0, last = -1] = range?.split('-').map(Number) ?? [];
  return [start, last + 1];
}

function withoutZeros(number: string): string {
  return number.replace(/^0+/, '');
}
