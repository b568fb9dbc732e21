import { addressLengths, addressLines, type PostalAddress } from '../../../platform/settings/postal-address.ts';
import { withoutUndefined } from '../../without-undefined.ts';
import type { Party } from '../../credit.ts';
import { realName, realReference } from '../placeholder.ts';
import { codeAt, type Element, elementAt, textAt, textsAt } from '../xml/element.ts';
import { type Account, accountId, accountOf } from './account.ts';

/**
 * The payer of a transaction, from `TxDtls/RltdPties`. Its name is that of the debtor, else of the ultimate debtor, else
 * of the initiating party, else of the debtor's account; without any name, the first identification. The debtor comes
 * first because its account is the one that money would be returned to.
 */
export function payerOf(transaction: Element | undefined): Party {
  const parties = elementAt(transaction, 'RltdPties');
  const candidates = ['Dbtr', 'UltmtDbtr', 'InitgPty'].map((role) => partyIn(elementAt(parties, role)));
  const names = [...candidates.map(nameOf), textAt(parties, 'DbtrAcct', 'Nm'), ...candidates.map(identificationOf)];
  const name = names.find((candidate) => candidate !== undefined);
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
