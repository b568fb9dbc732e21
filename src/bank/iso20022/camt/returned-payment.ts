import { elementAt, textAt, textsAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import { realReference } from '../placeholder.ts';
import type { ReturnedPayment } from './statement-item.ts';

/** Families of ISO 20022 bank transaction codes for money that we send: a credit on one of them is such money coming back. */
const outgoingFamilies = new Set(['ICDT', 'IRCT', 'RDDT', 'ICHQ']);

/** Sub-families: reversal due to payment return, and to a payment cancellation request. */
const returnSubFamilies = new Set(['RRTN', 'RPCR']);

/**
 * What the bank says of a payment of ours that came back; `undefined` for money that someone paid us. Told by `RtrInf`,
 * else by the bank transaction code of the transaction or its entry.
 */
export function returnedPayment(transaction: Element | undefined, entry: Element): ReturnedPayment | undefined {
  const information = elementAt(transaction, 'RtrInf');
  const code = elementAt(transaction, 'BkTxCd', 'Domn') ?? elementAt(entry, 'BkTxCd', 'Domn');
  const isPayment = textAt(code, 'Cd') === 'PMNT';
  const outgoing = outgoingFamilies.has(textAt(code, 'Fmly', 'Cd') ?? '');
  const returned = returnSubFamilies.has(textAt(code, 'Fmly', 'SubFmlyCd') ?? '');
  if (information === undefined && !(isPayment && (outgoing || returned))) return undefined;
  return returnFacts(transaction);
}

/** The facts of a return; the original payment's references stand in the transaction's own `Refs`. */
export function returnFacts(transaction: Element | undefined): ReturnedPayment {
  const information = elementAt(transaction, 'RtrInf');
  const reference = (name: string) => realReference(textAt(transaction, 'Refs', name));
  const facts = {
    reason: textAt(information, 'Rsn', 'Cd') ?? textAt(information, 'Rsn', 'Prtry'),
    text: textsAt(information, 'AddtlInf').join(' ') || undefined,
    originalEndToEndId: reference('EndToEndId'),
    originalInstructionId: reference('InstrId'),
    originalTransactionId: reference('TxId'),
    originalPaymentInformationId: reference('PmtInfId'),
    originalMessageId: reference('MsgId'),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
