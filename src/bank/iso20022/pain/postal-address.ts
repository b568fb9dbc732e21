import { addressLengths, addressLines, type PostalAddress } from '../../../platform/settings/postal-address.ts';
import { sepaText } from './characters.ts';
import { type Node, node } from './xml-writer.ts';

/** `PstlAdr`, structured or hybrid: the free lines, if there are any, come last. */
export function postalAddressNode(address: PostalAddress | null | undefined): Node | undefined {
  if (!address) return undefined;
  const { lines = [], country } = address;
  return node(
    'PstlAdr',
    part('StrtNm', address.street, addressLengths.street),
    part('BldgNb', address.buildingNumber, addressLengths.buildingNumber),
    part('PstCd', address.postalCode, addressLengths.postalCode),
    part('TwnNm', address.city, addressLengths.city),
    part('CtrySubDvsn', address.countryState, addressLengths.countryState),
    node('Ctry', country),
    ...lines.map((line) => part('AdrLine', line, addressLines.length)),
  );
}

function part(name: string, text = '', length: number): Node | undefined {
  const line = sepaText(text, length);
  return line === '' ? undefined : node(name, line);
}
