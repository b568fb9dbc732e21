import { type CreditStanding, findStandings } from '../../ledger/bank/credit-standing.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { MinorUnits } from '../../platform/money.ts';
import { moneyText, partyText } from './money-text.ts';

/** Sentences that say what has become of each of these credits. */
export async function standingsText(ledger: Ledger, references: readonly string[]): Promise<string> {
  const standings = await findStandings(ledger, references);
  return standings.map((credit) => `${creditText(credit)} ${becameText(credit)}.`).join(' ');
}

/** A sentence that says what has become of a credit, and with it what it comes to when the bank takes it back. */
export async function takenBackText(ledger: Ledger, reference: string): Promise<string> {
  const standings = await findStandings(ledger, [reference]);
  return standings.map((credit) => `It ${becameText(credit)}: ${effectText(credit)}.`).join('');
}

/** The same of all the credits that a debit takes back, with their money: of the only one perhaps a part, where the `amount` is less. */
export async function allTakenBackText(ledger: Ledger, references: readonly string[], amount: MinorUnits | null): Promise<string> {
  const standings = await findStandings(ledger, references);
  const [only] = standings;
  if (
    standings.length === 1 &&
    only !== undefined &&
    only.amount !== null &&
    amount !== null &&
    amount < only.amount &&
    amount !== only.booked
  )
    return `A part of ${creditText(only)} is a claim. It ${becameText(only)}, and stays so.`;
  return standings.map((credit) => `${creditText(credit)} ${becameText(credit)}: ${effectText(credit)}.`).join(' ');
}

function creditText({ reference, amount, currency, payer }: CreditStanding): string {
  return `${reference} (${moneyText(amount, currency)} from ${partyText(payer)})`;
}

/** A clause without its subject. */
function becameText(credit: CreditStanding): string {
  const { takenBack, currency, debits } = credit;
  const part = takenBack === 0n ? '' : `, and ${moneyText(takenBack, currency)} of it was taken back by ${debits.join(' and ')}`;
  return `${stateText(credit)}${part}`;
}

function stateText({ state, orderId, orderState, holder, payment, paymentState }: CreditStanding): string {
  const order = `became the order ${orderId} of ${holder}, which is ${orderState}`;
  const returned = payment === null ? 'was returned' : `is returned by the payment ${payment}, which is ${paymentState}`;
  if (state === 'unmatched') return 'waits unmatched';
  if (state === 'matched') return order;
  if (state === 'returned') return orderId === null ? returned : `${order}, and ${returned}`;
  return state === 'reversed' ? 'is reversed, so that nobody gets its money' : `is ${state}`;
}

function effectText({ state, orderState, awaitsDebit, paymentState }: CreditStanding): string {
  if (state === 'unmatched') return 'it becomes no order';
  if (state === 'returned' && awaitsDebit) return 'that is its return';
  if (state === 'returned' && paymentState === 'ready') return 'it is not returned once more, unless the payment is sent before';
  if (state === 'matched' && orderState !== 'processed')
    return 'what no transaction carries yet is not issued, and else what is taken back is a claim';
  return 'what is taken back is a claim';
}
