import type { BatchFacts, RailPayment } from '../../rail.ts';
import { amountText, currencyCode } from './amount.ts';
import { sepaText } from './characters.ts';
import { remittanceNode } from './remittance.ts';
import { type Node, node, renderXml } from './xml-writer.ts';

const namespace = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';

/** SEPA's length of a name; the schema would take 140. */
const nameLength = 70;

/** The account that payments are made from. */
export interface Debtor {
  name: string;
  iban: string;
  bic: string;
}

/**
 * A pain.001.001.09 message with one payment instruction, whose payments are all of one currency. In euro a SEPA credit
 * transfer (EPC132-08), else a non-urgent one (`NURG`) with shared charges. The same input gives the same text.
 *
 * Every payment is booked by itself (`BtchBookg`), so that the statement tells each by its EndToEndId.
 */
export function composePain001(payments: readonly RailPayment[], debtor: Debtor, { messageId, createdAt }: BatchFacts): string {
  const currency = payments[0]?.currency ?? '';
  const isSepa = currency === 'eur';
  const sum = payments.reduce((total, { amount }) => total + amount, 0n);
  const totals = [node('NbOfTxs', String(payments.length)), node('CtrlSum', amountText(sum, currency))];
  const time = createdAt.toISOString();
  const name = party(debtor.name);
  const header = node('GrpHdr', node('MsgId', messageId), node('CreDtTm', time), ...totals, node('InitgPty', name));
  const instruction = node(
    'PmtInf',
    node('PmtInfId', messageId),
    node('PmtMtd', 'TRF'),
    node('BtchBookg', 'false'),
    ...totals,
    node('PmtTpInf', node('SvcLvl', node('Cd', isSepa ? 'SEPA' : 'NURG'))),
    node('ReqdExctnDt', node('Dt', time.slice(0, 10))),
    node('Dbtr', name),
    node('DbtrAcct', node('Id', node('IBAN', debtor.iban))),
    node('DbtrAgt', node('FinInstnId', node('BICFI', debtor.bic))),
    node('ChrgBr', isSepa ? 'SLEV' : 'SHAR'),
    ...payments.map((payment) => transaction(payment, isSepa)),
  );
  const document = node('Document', node('CstmrCdtTrfInitn', header, instruction));
  return renderXml({ ...document, attributes: { xmlns: namespace } });
}

function transaction(payment: RailPayment, isSepa: boolean): Node {
  const { endToEndId, amount, currency, creditorName, creditorIban, creditorCountry } = payment;
  // An address would have to be whole since 2025 (EPC153-22), so SEPA gets none; elsewhere the country alone helps to route.
  const country = !isSepa && /^[A-Z]{2}$/.test(creditorCountry ?? '') ? node('CtryOfRes', creditorCountry as string) : undefined;
  return node(
    'CdtTrfTxInf',
    node('PmtId', node('InstrId', endToEndId), node('EndToEndId', endToEndId)),
    node('Amt', { ...node('InstdAmt', amountText(amount, currency)), attributes: { Ccy: currencyCode(currency) ?? '' } }),
    node('Cdtr', party(creditorName), country),
    node('CdtrAcct', node('Id', node('IBAN', creditorIban))),
    remittanceNode(payment),
  );
}

/** The name is mandatory; `NOTPROVIDED` is how EPC132-08 says that there is none. */
function party(name: string): Node {
  return node('Nm', sepaText(name, nameLength) || 'NOTPROVIDED');
}
