import { withoutUndefined } from '../../without-undefined.ts';
import { realReference } from '../placeholder.ts';
import { reasonText } from '../pain/reasons.ts';
import { codeAt, type Element, elementAt, isTrueAt, textAt, textsAt } from '../xml/element.ts';

/** Families of bank transaction codes (ISO 20022) for money that we send. A credit in one of them is such money coming back. */
const outgoingFamilies = new Set(['ICDT', 'IRCT', 'RDDT', 'ICHQ']);

/** Sub-families for a reversal due to a payment return, and due to a payment cancellation request. */
const returnSubFamilies = new Set(['RRTN', 'RPCR']);

/** An EndToEndId as our payments have it. */
const ownId = /^[0-9a-f]{32}$/i;

/** Whether a transaction names a payment that may be ours. */
export function isOwnId(transaction: Element | undefined): boolean {
  return ownId.test(textAt(transaction, 'Refs', 'EndToEndId') ?? '');
}

/**
 * The return of a payment of ours that a credit is; `undefined` for money that someone paid to us. A return has `RtrInf`, or a bank
 * transaction code of payments that says so, at the transaction or else at its entry. The family of outgoing payments alone does not say
 * so: some banks give it to arriving ones. It does where the EndToEndId is of the form of ours.
 */
export function returnedPayment(transaction: Element | undefined, entry: Element): ReturnedPayment | undefined {
  const { domain, family, isReturn } = bankCodeOf(transaction, entry);
  const isOutgoing = outgoingFamilies.has(family) && isOwnId(transaction);
  const isReturned = elementAt(transaction, 'RtrInf') !== undefined || (domain === 'PMNT' && (isOutgoing || isReturn));
  return isReturned ? returnFacts(transaction) : undefined;
}

/** The bank transaction code of a transaction, else that of its entry. */
function bankCodeOf(transaction: Element | undefined, entry: Element) {
  const code = elementAt(transaction, 'BkTxCd', 'Domn') ?? elementAt(entry, 'BkTxCd', 'Domn');
  const family = textAt(code, 'Fmly', 'Cd') ?? '';
  return { domain: textAt(code, 'Cd'), family, isReturn: returnSubFamilies.has(textAt(code, 'Fmly', 'SubFmlyCd') ?? '') };
}

/** A payment of ours that came back. */
export type ReturnedPayment = ReturnType<typeof returnFacts> & {
  /** Ids of payment files and of their instructions that an entry as a whole names. */
  files?: string[];
};

/** The bank's reason of a return, and the references of the original payment, which the transaction's own `Refs` repeats. */
export function returnFacts(transaction: Element | undefined) {
  const information = elementAt(transaction, 'RtrInf');
  const reference = (name: string) => realReference(textAt(transaction, 'Refs', name));
  const reason = codeAt(information, 'Rsn');
  const text = textsAt(information, 'AddtlInf').join(' ') || undefined;
  return withoutUndefined({
    /** A return reason code of ISO 20022 such as `AC04`, or the bank's own. */
    reason,
    text,
    /** Both in words, such as `AC04 closed account number: text`. */
    description: reasonText({ code: reason, text }),
    originalEndToEndId: reference('EndToEndId'),
    originalInstructionId: reference('InstrId'),
    originalTransactionId: reference('TxId'),
    originalPaymentInformationId: reference('PmtInfId'),
    originalMessageId: reference('MsgId'),
  });
}

/** Families of bank transaction codes for money that we receive. A debit in one of them, by a return, takes such money back. */
const incomingFamilies = new Set(['RCDT', 'RRCT', 'IDDT']);

/** What the bank says of a debit that takes a credit back; `undefined` for any other debit. */
export function takenBackCredit(transaction: Element | undefined, entry: Element): string | undefined {
  const { description } = returnFacts(transaction);
  if (isTrueAt(entry, 'RvslInd')) return description ?? 'reversal';
  if (elementAt(transaction, 'RtrInf') !== undefined) return description ?? 'return';
  const { family, isReturn } = bankCodeOf(transaction, entry);
  return incomingFamilies.has(family) && isReturn ? 'return' : undefined;
}
