import { type Selectable, sql } from 'kysely';
import { formatAmount, type MinorUnits, minorUnits } from '../../../platform/money.ts';
import { namedCredits } from '../claims/possible-reversals.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import type { Ledger, LedgerTransaction } from '../../ledger.ts';
import type { AccountDebit } from './bank-debits.ts';
import { explanationWrong } from './debit-explanation.ts';

/** The money of a debit. */
export type DebitMoney = Pick<AccountDebit, 'reference' | 'account' | 'currency' | 'bookedOn'> & { amount: MinorUnits };

/**
 * A further report is over the same money of the same account as the debits that it repeats, which are no further reports themselves: together, or over a part of the
 * only one, as long as its parts do not come to more than it. The caller has locked them. Returns the further reports that come to all of the money, if they do. Throws
 * `bad_input`.
 */
export async function assertSameMoney(tx: LedgerTransaction, debit: DebitMoney, firsts: readonly string[]): Promise<string[]> {
  if (firsts.includes(debit.reference)) throw explanationWrong('it cannot repeat itself');
  if (new Set(firsts).size < firsts.length) throw explanationWrong('name each debit once');
  const rows = await tx
    .selectFrom('bankDebits')
    .where('reference', 'in', [...firsts])
    .selectAll()
    .execute();
  const known = firsts.map((first) =>
    countingDebit(
      debit,
      first,
      rows.find(({ reference }) => reference === first),
    ),
  );
  const sum = minorUnits(known.reduce((before, { amount }) => before + amount, 0n));
  const [only] = known;
  if (only !== undefined && known.length === 1 && debit.amount < sum) return assertPart(tx, debit, only);
  if (sum === debit.amount) return [debit.reference];
  const money = `${formatAmount(sum)} ${debit.currency.toUpperCase()}`;
  throw explanationWrong(known.length === 1 ? `the debit ${only?.reference} is of ${money}` : `the debits come to ${money}`);
}

function countingDebit(debit: DebitMoney, reference: string, known: Selectable<LedgerTables['bankDebits']> | undefined): DebitMoney {
  if (known === undefined) throw explanationWrong(`there is no debit ${reference}`);
  const { account, currency, amount, state, explainedAs } = known;
  if (state === 'replaced' || explainedAs === 'repeat-of') throw explanationWrong(`the debit ${reference} counts under another reference`);
  if (amount === null) throw explanationWrong(`the amount of the debit ${reference} is not known yet: explain that first`);
  if (account === debit.account && currency === debit.currency) return { ...known, amount };
  throw explanationWrong(`the debit ${reference} is of ${formatAmount(amount)} ${currency.toUpperCase()} on ${account}`);
}

/** Throws when the other parts leave less of a debit than this one. The debit itself is recorded as a part already. */
async function assertPart(tx: LedgerTransaction, { reference }: DebitMoney, first: DebitMoney): Promise<string[]> {
  const { rows } = await sql<{ reference: string; amount: MinorUnits }>`
    select reference, amount from bank_debits
    where repeats[1] = ${first.reference} and cardinality(repeats) = 1 and amount < ${first.amount}
  `.execute(tx);
  const parts = minorUnits(rows.reduce((before, { amount }) => before + amount, 0n));
  if (parts <= first.amount) return parts < first.amount ? [] : rows.map((part) => part.reference);
  throw explanationWrong(
    `with ${reference}, the parts of the debit ${first.reference} come to ${formatAmount(parts)}, and it is of ${formatAmount(first.amount)}`,
  );
}

/** Debits that are named for one debit: enough to compare, few enough to read. */
const mostNamed = 5;

/**
 * The earlier debits that debits which take a credit back may be further reports of, those of the same amount first, by the reference of the debit: with the same UETR, or
 * one that took back a credit which the debit names. Nothing is proven by this list: an operator decides.
 */
export async function possibleFirstReports(ledger: Ledger, debits: readonly string[]): Promise<Map<string, string[]>> {
  if (debits.length === 0) return new Map();
  const { rows } = await sql<{ debit: string; earlier: string[] }>`
    select d.reference as debit, array(
      select o.reference from (
        select o.* from bank_debits o where o.uetr = d.uetr
        union
        select o.* from ${namedCredits} c
          cross join lateral (select debit from reversals where credit in (c.reference, c.repeats) or counts_with = c.reference offset 0) v
          join bank_debits o on o.reference = v.debit
      ) o
      where o.reference <> d.reference and o.account = d.account and o.currency = d.currency and o.amount >= d.amount
        and (o.state in ('payment', 'reversal') or (o.state = 'explained' and o.explained_as <> 'repeat-of')
          or (o.state = 'unexplained' and (o.received_at, o.reference) < (d.received_at, d.reference)))
      order by o.amount = d.amount desc, o.received_at, o.reference limit ${mostNamed}) as earlier
    from bank_debits d where d.reference = any(${debits}::text[]) and d.takes_back is not null
  `.execute(ledger);
  return new Map(rows.map(({ debit, earlier }) => [debit, earlier]));
}
