import { addressLengths, addressLines, type PostalAddress } from '../../../platform/settings/postal-address.ts';
import { withoutUndefined } from '../../without-undefined.ts';
import type { Party } from '../../credit.ts';
import { realName, realReference } from '../placeholder.ts';
import { codeAt, type Element, elementAt, textAt, textsAt } from '../xml/element.ts';
import { countrySpecs, electronicFormatIBAN, isValidIBAN } from 'ibantools';

/**
 * The payer of a transaction, from `TxDtls/RltdPties`. Its name is that of the debtor, else of the ultimate debtor, else
 * of the initiating party, else of the debtor's account; without any name, the first identification. The debtor comes
 * first because its account is the one that money would be returned to.
 */
export function payerOf(transaction: Element | undefined): Party {
  const parties = elementAt(transaction, 'RltdPties');
  const candidates = ['Dbtr', 'UltmtDbtr', 'InitgPty'].map((role) => partyIn(elementAt(parties, role)));
  const name =
    [...candidates.map(nameOf), textAt(parties, 'DbtrAcct', 'Nm')].find(isKnown) ?? candidates.map(identificationOf).find(isKnown);
  const account = accountOf(elementAt(parties, 'DbtrAcct'));
  // The address must be that of the named party.
  const named = candidates.find((party) => nameOf(party) !== undefined) ?? candidates.find((party) => party !== undefined);
  const address = elementAt(named, 'PstlAdr');
  const identified = account?.iban === undefined ? accountWithoutIban(transaction, account) : { iban: account.iban };
  return withoutUndefined({ name, ...identified, address: addressOf(address), postalAddress: postalAddressOf(address) });
}

/** An account that has no valid IBAN, as far as the bank identifies it: its number and its bank. */
function accountWithoutIban(transaction: Element | undefined, account: Account | undefined): Party {
  const agent = elementAt(transaction, 'RltdAgts', 'DbtrAgt', 'FinInstnId');
  const clearingCode = realReference(textAt(agent, 'ClrSysMmbId', 'MmbId'));
  const clearingSystem = codeAt(agent, 'ClrSysMmbId', 'ClrSysId');
  return withoutUndefined({
    accountNumber: account === undefined ? undefined : realReference(accountId(account)),
    bic: realReference(textAt(agent, 'BICFI') ?? textAt(agent, 'BIC')),
    clearingCode,
    clearingSystem: clearingCode === undefined ? undefined : clearingSystem,
  });
}

/** The payee of a transaction: its creditor, else the ultimate creditor, with the creditor's account. */
export function payeeOf(transaction: Element | undefined): Party {
  const parties = elementAt(transaction, 'RltdPties');
  const candidates = ['Cdtr', 'UltmtCdtr'].map((role) => partyIn(elementAt(parties, role)));
  const name = [...candidates.map(nameOf), textAt(parties, 'CdtrAcct', 'Nm')].find((candidate) => candidate !== undefined);
  return withoutUndefined({ name, iban: accountOf(elementAt(parties, 'CdtrAcct'))?.iban });
}

/** Up to version 02 the role is the party (`Dbtr/Nm`); from 08 it holds `Pty` or, for a bank, `Agt/FinInstnId`. */
function partyIn(role: Element | undefined): Element | undefined {
  return elementAt(role, 'Pty') ?? elementAt(role, 'Agt', 'FinInstnId') ?? role;
}

function isKnown(text: string | undefined): boolean {
  return text !== undefined;
}

function nameOf(party: Element | undefined): string | undefined {
  return realName(textAt(party, 'Nm'));
}

/** An organisation's, person's or bank's identification, for a party without a name. */
function identificationOf(party: Element | undefined): string | undefined {
  const organisation = elementAt(party, 'Id', 'OrgId');
  const identifications = [
    ...['AnyBIC', 'BICOrBEI', 'LEI'].map((name) => textAt(organisation, name)),
    textAt(organisation, 'Othr', 'Id'),
    textAt(party, 'Id', 'PrvtId', 'Othr', 'Id'),
    ...['BICFI', 'BIC', 'LEI'].map((name) => textAt(party, name)),
    textAt(party, 'ClrSysMmbId', 'MmbId'),
    textAt(party, 'Othr', 'Id'),
  ];
  return identifications.map(realReference).find((identification) => identification !== undefined);
}

/** The parts of an address in the order in which it is written: structured fields, free lines (`AdrLine`), and the country. */
const addressOrder =
  'Dept, SubDept, CareOf, StrtNm BldgNb, BldgNm, UnitNb, Flr, Room, PstBx, AdrLine, TwnLctnNm, PstCd TwnNm, DstrctNm, CtrySubDvsn, Ctry';

/** `PstlAdr` on one line. */
function addressOf(address: Element | undefined): string | undefined {
  if (address === undefined) return undefined;
  const parts = addressOrder.split(', ').flatMap((names) => {
    if (names === 'AdrLine') return textsAt(address, names);
    const words = names.split(' ').flatMap((name) => textAt(address, name) ?? []);
    return words.length === 0 ? [] : words.join(' ');
  });
  return parts.join(', ') || undefined;
}

/** `PstlAdr` in parts, as {@link PostalAddress} has them; `undefined` without a town or a country, which is an unstructured address. */
function postalAddressOf(address: Element | undefined): PostalAddress | undefined {
  const part = (name: string, length: number) => textAt(address, name)?.slice(0, length);
  const city = part('TwnNm', addressLengths.city);
  const country = textAt(address, 'Ctry');
  if (city === undefined || country === undefined || !/^[A-Z]{2}$/.test(country)) return undefined;
  const lines = textsAt(address, 'AdrLine')
    .slice(0, addressLines.most)
    .map((line) => line.slice(0, addressLines.length));
  return withoutUndefined({
    street: part('StrtNm', addressLengths.street),
    buildingNumber: part('BldgNb', addressLengths.buildingNumber),
    postalCode: part('PstCd', addressLengths.postalCode),
    city,
    countryState: part('CtrySubDvsn', addressLengths.countryState),
    country,
    lines: lines.length > 0 ? lines : undefined,
  });
}

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
