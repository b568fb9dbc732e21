import { minorUnits } from '../../../platform/money.ts';
import { addressLengths, addressLines, type PostalAddress } from '../../../platform/settings/postal-address.ts';
import { type BankCalendar, bankTime, businessDay } from '../../bank-calendar.ts';
import type { BatchHeader, RailPayment } from '../../rail.ts';
import { isCreditorReference, nationalReference } from '../creditor-reference.ts';
import { amountText, currencyCode } from './amount.ts';
import { sepaText } from './characters.ts';
import { type Node, node, renderXml } from './xml-writer.ts';

const namespace = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';

/** SEPA's limit for a name; the schema allows 140. */
const nameLength = 70;

/** Length of `Max140Text`. */
const unstructuredLength = 140;

/** The account that payments are made from, and when its bank works. */
export interface Debtor {
  name: string;
  address: PostalAddress | undefined;
  iban: string;
  bic: string;
  calendar: BankCalendar;
}

/**
 * A pain.001.001.09 message (customer credit transfer initiation) with one payment instruction, for payments of one
 * currency: SEPA credit transfers in euro (EPC132-08), else non-urgent transfers (`NURG`) with shared charges. The same
 * input gives the same text.
 *
 * Each payment is booked singly (`BtchBookg` false), so that a statement lists it with its EndToEndId.
 */
export function composePain001(payments: readonly RailPayment[], debtor: Debtor, { messageId, createdAt }: BatchHeader): string {
  const currency = payments[0]?.currency ?? '';
  const isSepa = currency === 'eur';
  const sum = minorUnits(payments.reduce((total, { amount }) => total + amount, 0n));
  const totals = [node('NbOfTxs', String(payments.length)), node('CtrlSum', amountText(sum, currency))];
  const time = bankTime(createdAt, debtor.calendar);
  const debtorName = nameNode(debtor.name);
  const groupHeader = node('GrpHdr', node('MsgId', messageId), node('CreDtTm', time), ...totals, node('InitgPty', debtorName));
  const instruction = node(
    'PmtInf',
    node('PmtInfId', messageId),
    node('PmtMtd', 'TRF'),
    node('BtchBookg', 'false'),
    ...totals,
    node('PmtTpInf', node('SvcLvl', node('Cd', isSepa ? 'SEPA' : 'NURG'))),
    node('ReqdExctnDt', node('Dt', businessDay(createdAt, currency, debtor.calendar))),
    node('Dbtr', debtorName, postalAddressNode(debtor.address)),
    node('DbtrAcct', node('Id', node('IBAN', debtor.iban))),
    node('DbtrAgt', node('FinInstnId', node('BICFI', debtor.bic))),
    node('ChrgBr', isSepa ? 'SLEV' : 'SHAR'),
    ...payments.map((payment) => transactionNode(payment, isSepa)),
  );
  const document = node('Document', node('CstmrCdtTrfInitn', groupHeader, instruction));
  return renderXml({ ...document, attributes: { xmlns: namespace } });
}

const executionDay = /(<ReqdExctnDt>\s*<Dt>)(\d{4}-\d{2}-\d{2})(<\/Dt>)/;

/** A message as it is handed to the bank at a time: one that waited has a day on which the bank can still carry it out. */
export function datedPain001(content: string, at: Date, calendar: BankCalendar): string {
  const currency = /<InstdAmt Ccy="([A-Z]{3})"/.exec(content)?.[1]?.toLowerCase() ?? '';
  const day = businessDay(at, currency, calendar);
  return content.replace(
    executionDay,
    (_, before: string, planned: string, after: string) => `${before}${day > planned ? day : planned}${after}`,
  );
}

/** `CdtTrfTxInf`. */
function transactionNode(payment: RailPayment, isSepa: boolean): Node {
  const { endToEndId, amount, currency, creditorName, creditorIban, creditorCountry, creditorAddress } = payment;
  // Outside of SEPA the country alone helps to route.
  const country = !isSepa && /^[A-Z]{2}$/.test(creditorCountry ?? '') ? node('CtryOfRes', creditorCountry as string) : undefined;
  return node(
    'CdtTrfTxInf',
    node('PmtId', node('InstrId', endToEndId), node('EndToEndId', endToEndId)),
    node('Amt', { ...node('InstdAmt', amountText(amount, currency)), attributes: { Ccy: currencyCode(currency) ?? '' } }),
    node('Cdtr', nameNode(creditorName), postalAddressNode(creditorAddress), country),
    node('CdtrAcct', node('Id', node('IBAN', creditorIban))),
    remittanceNode(payment),
  );
}

/** The mandatory name of a party; without one, `NOTPROVIDED` (EPC132-08). */
function nameNode(name: string): Node {
  return node('Nm', sepaText(name, nameLength) || 'NOTPROVIDED');
}

/** `PstlAdr`, structured or hybrid: the free lines, if there are any, come last. */
function postalAddressNode(address: PostalAddress | null | undefined): Node | undefined {
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

/**
 * `RmtInf`: the creditor reference in the structured field, else the text in the unstructured field; SEPA allows only one
 * of the two. A reference is one of ISO 11649 or one that the payee's country defines, both known by their check digits. Any other is sent as text, because a bank may
 * refuse the payment for it.
 */
function remittanceNode({
  remittance,
  structuredReference,
  creditorIban,
}: Pick<RailPayment, 'remittance' | 'structuredReference' | 'creditorIban'>): Node | undefined {
  const reference = structuredReference?.trim() ?? '';
  const referenceNodes = creditorReferenceNodes(reference, creditorIban);
  if (referenceNodes !== undefined) return node('RmtInf', node('Strd', node('CdtrRefInf', ...referenceNodes)));
  const text = sepaText(reference === '' ? (remittance ?? '') : reference, unstructuredLength);
  return text === '' ? undefined : node('RmtInf', node('Ustrd', text));
}

/** `Tp` and `Ref`, or `undefined` for a text that is no reference. `SCOR` is the only type in SEPA. */
function creditorReferenceNodes(reference: string, creditorIban: string): Node[] | undefined {
  const compact = reference.replace(/\s/g, '').toUpperCase();
  const known = isCreditorReference(compact) ? { value: compact, issuer: 'ISO' } : nationalReference(reference, creditorIban);
  if (known === undefined) return undefined;
  const type = [node('CdOrPrtry', node('Cd', 'SCOR')), ...(known.issuer === undefined ? [] : [node('Issr', known.issuer)])];
  return [node('Tp', ...type), node('Ref', known.value)];
}
