import { minorUnits } from '../../../platform/money.ts';
import type { PostalAddress } from '../../../platform/settings/postal-address.ts';
import { type BankCalendar, bankTime, businessDay } from '../../bank-calendar.ts';
import type { BatchHeader, RailPayment } from '../../rail.ts';
import { amountText, currencyCode } from './amount.ts';
import { sepaText } from './characters.ts';
import { postalAddressNode } from './postal-address.ts';
import { remittanceNode } from './remittance.ts';
import { type Node, node, renderXml } from './xml-writer.ts';

const namespace = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';

/** SEPA's limit for a name; the schema allows 140. */
const nameLength = 70;

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
