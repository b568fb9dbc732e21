import type { MinorUnits } from '../../../platform/money.ts';
import { withoutUndefined } from '../../without-undefined.ts';
import type { BookedDebit, UnreadableDebit } from '../../booked-debit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementAt, elementsAt, textAt } from '../xml/element.ts';
import { accountId, accountOf } from './account.ts';
import { type CreditReferences, payerReferences, servicerReference, uetrOf } from './credit-references.ts';
import { type Decimal, decimalToMinorUnits, formatDecimal } from './decimal.ts';
import type { Entry } from './entry.ts';
import { payeeOf } from './party.ts';
import { remittanceOf } from './remittance.ts';
import { takenBackCredit } from './returned-payment.ts';
import { chargesOf, transactionAmounts } from './transaction-amounts.ts';

/** Money that leaves: an entry as a whole, or one transaction of it. */
interface OutgoingMoney {
  transaction?: Element | undefined;
  /** Position of the transaction in the entry, from 1, and how many there are; 1 of 1 for an entry as a whole. */
  index: number;
  count: number;
  amount: Decimal;
  isSum?: boolean;
}

/** Reads the debits of one entry. `references` are those of the debits of its statement. */
export function createDebitReader(entry: Entry, references: CreditReferences) {
  let own: { reference: string | undefined } | undefined;
  const entryReference = () => (own ??= { reference: references.ofEntry(entry.element) }).reference;

  function debit({ transaction, index, count, amount, isSum = false }: OutgoingMoney): BookedDebit[] {
    const minorUnits = decimalToMinorUnits(amount);
    if (typeof minorUnits !== 'bigint' || minorUnits <= 0n) return [];
    const reference = entryReference();
    const facts = identifyingFacts(entry, transaction, amount);
    // The number of a transaction is not that of a sum which lists no other.
    const numbered = isSum && reference !== undefined ? undefined : transaction;
    const number = servicerReference(numbered) ?? (count === 1 ? entry.source.bankNumber : undefined);
    const money = references.ofMoney({ entryReference: reference, entry: entry.element, transaction: numbered, index, count, facts });
    const debit = withoutUndefined({
      reference: money,
      entryReference: reference,
      number,
      isSum,
      endToEndId: realReference(textAt(transaction, 'Refs', 'EndToEndId')),
      uetr: uetrOf(transaction),
      amount: minorUnits,
      currency: entry.currency.toLowerCase(),
      bookedOn: entry.bookedOn,
      payee: payeeOf(transaction),
      remittance: remittanceOf(transaction, count === 1 ? entry.element : undefined).remittance,
      files: isSum || count === 1 ? filesOf(entry.element, transaction) : [],
      takesBack: takenBackCredit(transaction, entry.element),
      transactions: isSum ? batchCount(entry) : undefined,
    });
    return [debit];
  }

  return {
    /** The debits of an entry that is one as a whole: its transactions and its charges, if they add up to it, else the entry itself. */
    ofEntry(): BookedDebit[] {
      const { amount, transactions } = entry;
      if (amount === undefined) return [];
      const whole: OutgoingMoney = { transaction: transactions.length === 1 ? transactions[0] : undefined, index: 1, count: 1, amount };
      if (transactions.length === 0) return debit({ ...whole, isSum: true });
      const split = transactionAmounts(entry.element, { amount, currency: entry.currency, direction: 'DBIT' }, transactions);
      // What an entry in doubt nets is in doubt as a whole.
      const isNetted = split.ok && split.shares.some(({ direction }) => direction === 'CRDT');
      if (split.ok && (isNetted || listsOneOfSeveral(entry))) return debit({ ...whole, isSum: true });
      if (split.ok)
        return split.shares.flatMap((share, position) =>
          debit({ transaction: transactions[position], index: position + 1, count: transactions.length, amount: share.amount }),
        );
      const charged = chargedTransactions(entry);
      if (charged === undefined) return debit({ ...whole, isSum: true });
      const payments = charged.amounts.flatMap((share, position) =>
        debit({ transaction: transactions[position], index: position + 1, count: transactions.length, amount: share }),
      );
      const [payment] = payments;
      return payment === undefined ? [] : [...payments, chargesOn(payment, charged.charges)];
    },
    /** What the bank keeps of an entry that is a credit. */
    ofCharges: (charges: Decimal): BookedDebit[] =>
      debit({ index: 1, count: 1, amount: charges }).map((kept) => Object.assign(kept, asCharges(kept))),
    /** The entry, where its amount or its currency cannot be read. */
    ofUnreadable(): UnreadableDebit | undefined {
      const { element, currency, transactions, amount, bookedOn } = entry;
      if (currency !== '' && amount !== undefined && typeof decimalToMinorUnits(amount) === 'bigint') return undefined;
      const written = textAt(element, 'Amt') ?? '';
      const amountText = currency === '' && written !== '' ? `${written} without a currency` : written;
      const [transaction] = transactions;
      const facts = ['debit', bookedOn, amountText, currency];
      return withoutUndefined({
        reference: references.ofMoney({ entryReference: entryReference(), entry: element, index: 1, count: 1, facts }),
        currency: currency.toLowerCase(),
        payee: payeeOf(transactions.length === 1 ? transaction : undefined),
        amountText,
        bookedOn,
        remittance: remittanceOf(transaction, element).remittance,
        takesBack: takenBackCredit(transaction, element),
      });
    },
    /** The debit of one transaction of an entry that holds credits too. */
    ofTransaction: (transaction: Element | undefined, index: number, amount: Decimal): BookedDebit[] =>
      debit({ transaction, index, count: entry.transactions.length, amount }),
  };
}

/** Whether an entry lists one transaction, and says that it has more: its amount is that of all. */
function listsOneOfSeveral(entry: Entry): boolean {
  return entry.transactions.length === 1 && (batchCount(entry) ?? 1) > 1;
}

/** The charges of a payment are a debit of their own. */
function chargesOn(payment: BookedDebit, charges: MinorUnits): BookedDebit {
  const { entryReference, currency, bookedOn, payee } = payment;
  return withoutUndefined({ ...asCharges(payment), entryReference, isSum: false, amount: charges, currency, bookedOn, payee });
}

/** What tells the debit of charges from that of the money which they are charged for. */
function asCharges({ reference, number }: BookedDebit) {
  const numbered = number === undefined ? {} : { number: `${number}#charges` };
  return { reference: `${reference}#charges`, ...numbered, remittance: 'charges', files: [] };
}

/** Payments whose charges the bank added to them: the entry comes to both. */
function chargedTransactions({ element, amount, currency, transactions }: Entry): { amounts: Decimal[]; charges: MinorUnits } | undefined {
  if (amount === undefined || transactions.length === 0) return undefined;
  const ofTransactions = transactions.reduce((sum, transaction) => sum + chargesOf(transaction, currency), 0n);
  const charges = ofTransactions || chargesOf(element, currency);
  if (charges <= 0n || charges >= amount) return undefined;
  const net = transactionAmounts(element, { amount: amount - charges, currency, direction: 'DBIT' }, transactions);
  const minorUnits = decimalToMinorUnits(charges);
  if (!net.ok || typeof minorUnits !== 'bigint' || net.shares.some(({ direction }) => direction === 'CRDT')) return undefined;
  return { amounts: net.shares.map((share) => share.amount), charges: minorUnits };
}

/** What every report of the same booking repeats; see `CreditReferences`. */
function identifyingFacts({ bookedOn, currency }: Entry, transaction: Element | undefined, amount: Decimal): (string | undefined)[] {
  const account = accountOf(elementAt(transaction, 'RltdPties', 'CdtrAcct'));
  return [
    'debit',
    bookedOn,
    formatDecimal(amount),
    currency,
    account === undefined ? payeeOf(transaction).name?.toUpperCase() : accountId(account),
    ...payerReferences(transaction),
  ];
}

/** The ids of payment files and instructions that an entry names: of its batches, of its only transaction, or of itself. */
function filesOf(entry: Element, transaction: Element | undefined): string[] {
  const batches = elementsAt(entry, 'NtryDtls', 'Btch').flatMap((batch) => [textAt(batch, 'PmtInfId'), textAt(batch, 'MsgId')]);
  const details = ['PmtInfId', 'MsgId', 'EndToEndId'].map((name) => textAt(transaction, 'Refs', name));
  const ids = [...batches, ...details, textAt(entry, 'NtryRef')].map(realReference);
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** How many transactions an entry has, as it says or else as it lists; undefined when neither says that there are several. */
function batchCount({ source, transactions }: Entry): number | undefined {
  return source.batchCount ?? (transactions.length > 1 ? transactions.length : undefined);
}
