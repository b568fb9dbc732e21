import type { Party } from '../../credit.ts';
import { accountOf } from './account.ts';
import { elementAt, textAt, textsAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import { realName, realReference } from '../placeholder.ts';

/**
 * The payer of a transaction, from `TxDtls/RltdPties`. `Dbtr` comes first, as `DbtrAcct`, to which money would be
 * returned, is its account; then whom it pays for, who initiated, and the account's own name.
 */
export function payerOf(transaction: Element | undefined): Party {
  const parties = elementAt(transaction, 'RltdPties');
  const candidates = ['Dbtr', 'UltmtDbtr', 'InitgPty'].map((role) => partyForm(elementAt(parties, role)));
  const names = [...candidates.map(nameOf), textAt(parties, 'DbtrAcct', 'Nm'), ...candidates.map(identificationOf)];
  const name = names.find((found) => found !== undefined);
  const iban = accountOf(elementAt(parties, 'DbtrAcct'))?.iban;
  // The address of another party than the one named would mislead.
  const named = candidates.find((party) => nameOf(party) !== undefined) ?? candidates.find((party) => party !== undefined);
  const address = addressOf(elementAt(named, 'PstlAdr'));
  return { ...(name && { name }), ...(iban && { iban }), ...(address && { address }) };
}

/** Up to version 02 a party stands itself (`Dbtr/Nm`); from 08 it is `Pty` or, for a bank, `Agt/FinInstnId`. */
function partyForm(role: Element | undefined): Element | undefined {
  return elementAt(role, 'Pty') ?? elementAt(role, 'Agt', 'FinInstnId') ?? role;
}

function nameOf(party: Element | undefined): string | undefined {
  return realName(textAt(party, 'Nm'));
}

/** `Id/OrgId`, `Id/PrvtId` or a bank's BIC, for a party without a name. */
function identificationOf(party: Element | undefined): string | undefined {
  const paths = [
    ['Id', 'OrgId', 'AnyBIC'],
    ['Id', 'OrgId', 'BICOrBEI'],
    ['Id', 'OrgId', 'LEI'],
    ['Id', 'OrgId', 'Othr', 'Id'],
    ['Id', 'PrvtId', 'Othr', 'Id'],
    ['BICFI'],
    ['BIC'],
    ['LEI'],
    ['ClrSysMmbId', 'MmbId'],
    ['Othr', 'Id'],
  ];
  return paths.map((path) => realReference(textAt(party, ...path))).find((found) => found !== undefined);
}

/** `PstlAdr` on one line: its structured fields, the free lines of older or hybrid addresses, the country. */
function addressOf(address: Element | undefined): string | undefined {
  const field = (name: string) => textAt(address, name);
  const parts = [
    field('Dept'),
    field('SubDept'),
    field('CareOf'),
    joined(field('StrtNm'), field('BldgNb')),
    field('BldgNm'),
    field('UnitNb'),
    field('Flr'),
    field('Room'),
    field('PstBx'),
    ...textsAt(address, 'AdrLine'),
    field('TwnLctnNm'),
    joined(field('PstCd'), field('TwnNm')),
    field('DstrctNm'),
    field('CtrySubDvsn'),
    field('Ctry'),
  ];
  const line = parts.filter((part) => part !== undefined).join(', ');
  return line === '' ? undefined : line;
}

function joined(first: string | undefined, second: string | undefined): string | undefined {
  const words = [first, second].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words.join(' ');
}
