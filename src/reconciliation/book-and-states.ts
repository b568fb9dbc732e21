import { type RawBuilder, sql } from 'kysely';
import { accounts } from '../ledger/book/accounts.ts';
import { currentBalances } from '../ledger/book/balances.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { compareAmounts, type Comparison } from '../ledger/reserve/comparison.ts';
import { minorUnits } from '../platform/money.ts';

/** SQL of a relation: the legs that are still to be carried out. */
const openLegs = sql`(select * from open_legs where state in ('ready', 'sent'))`;

/** SQL of a list: the open orders that carry out the payout of another, which holds the money as long. */
const dependentOrders = sql`(select id from open_orders where is_dependent)`;

/**
 * What each account holds by the ledger's states: SQL of a relation with `currency` and `amount` (minor units). Only open work is read, by
 * partial indexes.
 */
const states: Readonly<Record<string, RawBuilder<unknown>>> = {
  [accounts.issue]: sql`select l.currency, l.amount from ${openLegs} l 
    where l.kind = 'issue' and l.position = 0 and l.order_id not in ${dependentOrders}`,
  // An issue behind a payout gives its tokens back. One that the contract refused waits for the operator.
  [accounts.payout]: sql`
    select l.currency, l.amount from ${openLegs} l where l.kind = 'payout' and (l.state = 'ready' or l.chain is not null)
    union all select currency, amount from payments where state = 'ready' and kind = 'payout'
    union all select currency, amount from open_legs where kind = 'issue' and position > 0
    union all select currency, amount from leg_history where kind = 'issue' and position > 0 and outcome = 'refused'`,
  [accounts.return]: sql`
    select l.currency, l.amount from open_legs l where l.state = 'ready' and l.kind = 'return'
    union all select currency, amount from payments where state = 'ready' and kind = 'return'
    union all select currency, amount from credits where awaits_debit`,
  [accounts.suspense]: sql`select currency, amount from credits where state = 'unmatched' and currency is not null and amount is not null`,
  [accounts.payments]: sql`
    select currency, amount from payments where state = 'sent'
    union all select currency, amount from payments where state in ('accepted', 'returned') and booked_on is null`,
  [accounts.claims]: sql`select currency, amount - recovered as amount from claims where state in ('pending', 'open')`,
  [accounts.differences]: sql`select currency, amount from bank_debits where state = 'unexplained' and amount is not null`,
};

interface Row {
  account: string;
  currency: string;
  expected: string;
  actual: string;
}

/**
 * Compares the accounts of the book that hold what is under way with the ledger's states, and the trial balance with zero, in one snapshot. Costs
 * what is open, and does not grow with history.
 */
export async function compareBookWithStates(ledger: Ledger): Promise<Comparison[]> {
  const parts = Object.entries(states).map(
    ([account, state]) => sql`select ${account}::text as account, currency, sum(amount) as amount from (${state}) s group by currency`,
  );
  const { rows } = await sql<Row>`
    with balances_now as materialized (select account, currency, amount from ${currentBalances} b),
    by_state as materialized (${sql.join(parts, sql` union all `)})
    select coalesce(s.account, b.account) as account, coalesce(s.currency, b.currency) as currency,
      coalesce(s.amount, 0)::text as expected, coalesce(case when b.account like 'assets:%' then b.amount else -b.amount end, 0)::text as actual
    from by_state s full join (select * from balances_now where account = any(${Object.keys(states)}::text[])) b
      on b.account = s.account and b.currency = s.currency
    union all
    select '', currency, '0', sum(amount)::text from balances_now group by currency
    order by currency, account
  `.execute(ledger);
  return rows.map(({ account, currency, expected, actual }) =>
    compareAmounts(
      { comparison: 'states', currency, account, chain: '' },
      { expected: toAmount(expected), actual: toAmount(actual), items: [] },
    ),
  );
}

function toAmount(text: string) {
  return minorUnits(BigInt(text));
}
