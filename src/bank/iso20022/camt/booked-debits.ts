import { withoutUndefined } from '../../without-undefined.ts';
import type { BookedDebit } from '../../credit.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementsAt, textAt } from '../xml/element.ts';
import type { CreditReferences } from './credit-references.ts';
import { type Decimal, minorUnitsOf } from './numbers.ts';
import type { Entry } from './entry.ts';
import { descriptionOf, identifyingFacts, type Money, numberOf, remittanceOf } from './money.ts';
import { payeeOf } from './party.ts';
import { takenBackCredit } from './returned-payment.ts';
import { chargesOf, type Split, transactionAmounts } from './transaction-amounts.ts';

/** Reads the debits of one entry. `references` are those of the debits of its statement. */
export function createDebitReader(entry: Entry, references: CreditReferences) {
  const { element, currency, transactions, amount, bookedOn } = entry;
  const [first] = transactions;
  const onlyTransaction = transactions.length === 1 ? first : undefined;
  let own: { reference: string | undefined } | undefined;
  const entryReference = () => (own ??= { reference: references.ofEntry(entry) }).reference;

  function debit({ isSum = false, ...place }: Omit<Money, 'entry'> & { isSum?: boolean }): BookedDebit[] {
    const money = { entry, ...place };
    const { transaction, count } = money;
    const minorUnits = minorUnitsOf(money.amount);
    if (minorUnits === undefined || minorUnits <= 0n) return [];
    const payee = payeeOf(transaction);
    const facts = identifyingFacts(money, 'debit', { party: payee, account: 'CdtrAcct' });
    const reference = entryReference();
    // The number of a transaction is not that of a sum which lists no other.
    const numbered = isSum && reference !== undefined ? undefined : transaction;
    const { structuredReference: _, ...description } = descriptionOf(money);
    const read = withoutUndefined({
      reference: references.ofMoney({ ...money, entryReference: reference, numbered, facts }),
      entryReference: reference,
      number: numberOf(numbered, money),
      isSum,
      ...description,
      amount: minorUnits,
      currency: currency.toLowerCase(),
      payee,
      files: isSum || count === 1 ? filesOf(element, transaction) : [],
      takesBack: takenBackCredit(transaction, element),
      transactions: isSum ? batchCount(entry) : undefined,
    });
    return [read];
  }

  /** The entry, where its amount or its currency cannot be read. */
  function unreadable(): BookedDebit {
    const written = textAt(element, 'Amt') ?? '';
    const text = currency === '' && written !== '' ? `${written} without a currency` : written;
    const facts = ['debit', bookedOn, text, currency];
    return withoutUndefined({
      reference: references.ofMoney({ entryReference: entryReference(), entry, index: 1, count: 1, facts }),
      number: entry.source.bankNumber,
      isSum: false,
      currency: currency.toLowerCase(),
      payee: payeeOf(onlyTransaction),
      bookedOn,
      remittance: remittanceOf(first, element).remittance,
      files: [],
      takesBack: takenBackCredit(first, element),
      doubt: `its amount, ${text === '' ? 'which is missing' : text}, cannot be read: ask the bank`,
    });
  }

  const ofTransaction = (transaction: Element | undefined, index: number, share: Decimal): BookedDebit[] =>
    debit({ transaction, index, count: transactions.length, amount: share });

  return {
    /** The debits of an entry that is one as a whole: its transactions and its charges, if they add up to it, else the entry itself. */
    ofEntry(): BookedDebit[] {
      if (amount === undefined || currency === '' || minorUnitsOf(amount) === undefined) return [unreadable()];
      const split = transactions.length === 0 ? undefined : debitsOf(entry, amount);
      if (split === undefined) return debit({ transaction: onlyTransaction, index: 1, count: 1, amount, isSum: true });
      const payments = split.shares.flatMap((share, position) => ofTransaction(transactions[position], position + 1, share.amount));
      const [payment] = payments;
      const charges = minorUnitsOf(split.charges);
      if (payment === undefined || !charges) return payments;
      // The charges of a payment are a debit of their own.
      const { payee } = payment;
      const about = withoutUndefined({ entryReference: payment.entryReference, bookedOn });
      return [...payments, { ...asCharges(payment), ...about, isSum: false, amount: charges, currency: payment.currency, payee }];
    },
    /** What the bank keeps of an entry that is a credit. */
    ofCharges: (charges: Decimal): BookedDebit[] =>
      debit({ index: 1, count: 1, amount: charges }).map((kept) => Object.assign(kept, asCharges(kept))),
    /** The debit of one transaction of an entry that holds credits too. */
    ofTransaction,
  };
}

/** Whether an entry lists one transaction, and says that it has more: its amount is that of all. */
function listsOneOfSeveral(entry: Entry): boolean {
  return entry.transactions.length === 1 && (batchCount(entry) ?? 1) > 1;
}

/** What tells the debit of charges from that of the money which they are charged for. */
function asCharges({ reference, number }: BookedDebit) {
  const numbered = number === undefined ? {} : { number: `${number}#charges` };
  return { reference: `${reference}#charges`, ...numbered, remittance: 'charges', files: [] };
}

/** The payments that come to a debit, alone or with the charges that the bank added to them. */
function debitsOf(entry: Entry, amount: Decimal): Split | undefined {
  const split = transactionAmounts(entry, amount);
  // What an entry in doubt nets is in doubt as a whole.
  const isNetted = split.ok && split.shares.some(({ direction }) => direction === 'CRDT');
  if (split.ok) return isNetted || listsOneOfSeveral(entry) ? undefined : split;
  const { element, currency, transactions } = entry;
  const ofTransactions = transactions.reduce((sum, transaction) => sum + chargesOf(transaction, currency), 0n);
  const charges = ofTransactions || chargesOf(element, currency);
  if (charges <= 0n || charges >= amount || minorUnitsOf(charges) === undefined) return undefined;
  const net = transactionAmounts(entry, amount - charges);
  return net.ok && net.shares.every(({ direction }) => direction !== 'CRDT') ? { ...net, charges } : undefined;
}

/** The ids of payment files and instructions that an entry names: of its batches, of its only transaction, or of itself. */
export function filesOf(entry: Element, transaction: Element | undefined): string[] {
  const batches = elementsAt(entry, 'NtryDtls', 'Btch').flatMap((batch) => [textAt(batch, 'PmtInfId'), textAt(batch, 'MsgId')]);
  const details = ['PmtInfId', 'MsgId', 'EndToEndId'].map((name) => textAt(transaction, 'Refs', name));
  const ids = [...batches, ...details, textAt(entry, 'NtryRef')].map(realReference);
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** How many transactions an entry has, as it says or else as it lists; undefined when neither says that there are several. */
function batchCount({ source, transactions }: Entry): number | undefined {
  return source.batchCount ?? (transactions.length > 1 ? transactions.length : undefined);
}
