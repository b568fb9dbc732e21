import { sql } from 'kysely';
import { accounts, bankAccount, tokensOn } from '../../../src/ledger/book/accounts.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';

interface CreditRow {
  reference: string;
  state: 'matched' | 'unmatched' | 'returned' | 'replaced';
  amount: string | null;
  currency: string | null;
  bankAccount: string;
  orderId: string | null;
  awaitsDebit: boolean;
}

interface PaymentRow {
  leg: string | null;
  credit: string | null;
  state: 'ready' | 'sent' | 'accepted' | 'refused';
  bankAccount: string | null;
  bookedOn: string | null;
}

interface OrderRow {
  id: string;
  kind: 'issue' | 'redeem';
  chain: string;
  currency: string;
  amount: string;
  sourceOrder: string | null;
}

interface LegRow {
  id: string;
  orderId: string;
  kind: 'issue' | 'redeem' | 'payout' | 'return';
  state: string;
}

interface Rows {
  credits: CreditRow[] | null;
  payments: PaymentRow[] | null;
  orders: OrderRow[] | null;
  legs: LegRow[] | null;
  openings: { chain: string; currency: string; supply: string }[] | null;
}

/**
 * What each account holds by the states, as `account currency`: follows the money of every credit and of every redemption to where it is now. It
 * shares nothing with what the ledger does.
 */
export async function balancesByStates(ledger: Ledger): Promise<Record<string, bigint>> {
  const { credits, payments, orders, legs, openings } = await readRows(ledger);
  const balances = new Map<string, bigint>();
  const add = (account: string, currency: string, amount: bigint) =>
    balances.set(`${account} ${currency}`, (balances.get(`${account} ${currency}`) ?? 0n) + amount);
  const legOf = (order: string | null, kind: LegRow['kind']) => (legs ?? []).find((leg) => leg.orderId === order && leg.kind === kind);
  const paymentOf = (leg: LegRow | undefined) => (payments ?? []).find((payment) => leg !== undefined && payment.leg === leg.id);

  function ofCredit({ reference, state, bankAccount: account, orderId, awaitsDebit }: CreditRow): string {
    if (state === 'unmatched') return accounts.suspense;
    if (state === 'returned') {
      const payment = (payments ?? []).find((candidate) => candidate.credit === reference && candidate.state !== 'refused');
      if (payment === undefined && !awaitsDebit) return bankAccount(account);
      return carriedBy(payment, accounts.return);
    }
    const order = (orders ?? []).find(({ id }) => id === orderId);
    const issue = legOf(orderId, 'issue');
    if (issue?.state === 'done') return tokensOn(order?.chain ?? '');
    return issue?.state === 'refused' ? carriedBy(paymentOf(legOf(orderId, 'return')), accounts.return) : accounts.issue;
  }

  function ofRedemption({ id, chain }: OrderRow): string {
    const dependent = (orders ?? []).find(({ sourceOrder }) => sourceOrder === id);
    if (dependent !== undefined && legOf(dependent.id, 'issue')?.state === 'done') return tokensOn(dependent.chain);
    if (legOf(id, 'issue')?.state === 'done') return tokensOn(chain);
    return carriedBy(paymentOf(legOf(id, 'payout')), accounts.payout);
  }

  for (const credit of credits ?? []) {
    if (credit.state === 'replaced' || credit.amount === null || credit.currency === null) continue;
    add(bankAccount(credit.bankAccount), credit.currency, BigInt(credit.amount));
    add(ofCredit(credit), credit.currency, -BigInt(credit.amount));
  }
  for (const order of (orders ?? []).filter(({ kind, id }) => kind === 'redeem' && legOf(id, 'redeem')?.state === 'done')) {
    add(tokensOn(order.chain), order.currency, BigInt(order.amount));
    add(ofRedemption(order), order.currency, -BigInt(order.amount));
  }
  for (const { chain, currency, supply } of openings ?? []) {
    add(accounts.openings, currency, BigInt(supply));
    add(tokensOn(chain), currency, -BigInt(supply));
  }
  return Object.fromEntries([...balances].filter(([, amount]) => amount !== 0n));
}

/** The account that money is on while a payment carries it; that of what is owed before, and the bank's once it has left. */
function carriedBy(payment: PaymentRow | undefined, owed: string): string {
  if (payment === undefined || payment.state === 'ready' || payment.state === 'refused') return owed;
  if (payment.state === 'sent' || payment.bookedOn === null) return accounts.payments;
  return bankAccount(payment.bankAccount ?? '');
}

async function readRows(ledger: Ledger): Promise<Rows> {
  const { rows } = await sql<Rows>`
    select
      (select jsonb_agg(jsonb_build_object('reference', reference, 'state', state, 'amount', amount::text, 'currency', currency,
        'bankAccount', bank_account, 'orderId', order_id, 'awaitsDebit', awaits_debit)) from credits) as credits,
      (select jsonb_agg(jsonb_build_object('leg', leg, 'credit', credit, 'state', state, 'bankAccount', bank_account, 'bookedOn', booked_on))
        from payments) as payments,
      (select jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'chain', chain, 'currency', currency, 'amount', amount::text,
        'sourceOrder', source_order)) from orders) as orders,
      (select jsonb_agg(jsonb_build_object('id', id, 'orderId', order_id, 'kind', kind, 'state', state)) from legs) as legs,
      (select jsonb_agg(jsonb_build_object('chain', chain, 'currency', currency, 'supply', supply::text)) from token_openings) as openings
  `.execute(ledger);
  return rows[0] as Rows;
}
