import { type RawBuilder, type Selectable, sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { formatAmount, type MinorUnits } from '../../../platform/money.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { lockImports } from '../bank-files.ts';
import { recordDebits } from '../debits/bank-debits.ts';
import { explainDebit } from '../debits/explain-debit.ts';
import { isListed, namingDebits, uuidOf } from '../debits/payment-file-debits.ts';
import { ownKinds } from '../debits/unexplained-debits.ts';
import { isNotBooked, notBookedReference } from '../derived-references.ts';
import { lockPayments } from '../payments.ts';
import { settleCredit } from '../unmatched/settle-credit.ts';
import { bringPaymentBack, recordUnbooked } from './unbooked-money.ts';

/** SQL: whether an operator has said that the bank has not booked the payment `p`. */
const isGivenBack = sql<boolean>`coalesce(${isNotBooked(sql`p.came_back_by`)}, false)`;

/**
 * SQL: the debits of the account and up to the day in the row `a` that only notifications report, and of which an operator has not said yet that the bank has not booked them.
 * Costs what no statement lists.
 */
export function awaitedDebits(limit: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select distinct on (d.booked_on, d.reference) d.received_at, d.booked_on, d.reference
    from (
      select b.source, p.id as payment, p.file from bank_bookings b left join payments p on p.id = case when b.source ~ '^[0-9a-f-]{36}$' then b.source::uuid end
      where b.account = a.account and b.statement is null and b.amount < 0 and b.booked_on <= a.day and not ${isGivenBack}
    ) b cross join lateral (
      select * from bank_debits where reference = b.source
      union all select * from bank_debits where payment = b.payment
      union all select * from bank_debits where payment_file = b.file and state = 'payment'
      union all select * from bank_debits where more_payments @> array[b.payment]
    ) d
    where ${canBeUnbooked} order by d.booked_on, d.reference limit ${limit}`;
}

/** SQL: whether a debit `d` is one whose money may not have left: what takes credits back, or is another report, has its own undoing. */
const canBeUnbooked = sql<boolean>`(d.amount is not null and d.takes_back is null and not ${isNotBooked(sql`d.reference`)}
  and (d.state in ('unexplained', 'payment') or (d.state = 'explained' and d.explained_as in (${sql.join([...ownKinds, 'payment'])})))
  and not exists (select from credits c where c.entry_reference = d.reference and ${isNotBooked(sql`c.reference`)}))`;

/** SQL: whether a statement reports the debit `d`. */
const isStated = isListed('d.reference');

/** SQL: the payments that a debit `d` books: itself, with others as an operator says, or with its whole file. */
const paymentsOf = sql`(
  select * from payments where id = d.payment
  union all select * from payments where id = any(d.more_payments)
  union all select * from payments where file = d.payment_file and d.payment is null and d.state = 'payment' and booked_on is not null)`;

/** SQL: the payments that a debit `d`, which waits because others have booked them, names and comes to. */
const repeatedBy = sql`(
  select * from payments p where d.state = 'unexplained' and p.id = ${uuidOf(sql`d.end_to_end_id`)} and (p.amount, p.currency) = (d.amount, d.currency)
  union all select * from payments p where d.state = 'unexplained' and p.file = d.payment_file
    and (d.amount, d.currency) = (select sum(amount), min(currency) from payments where file = d.payment_file and state <> 'refused'))`;

/** SQL: the debits that have booked the payments which the debit `d` names, with commas between them. */
const bookedBy = sql<string>`(
  select string_agg(distinct b.reference, ',') from (
    select id, file from payments where id = ${uuidOf(sql`d.end_to_end_id`)} union select id, file from payments where file = d.payment_file
  ) p cross join lateral (
    select reference from bank_debits where payment = p.id and state = 'payment'
    union all select reference from bank_debits where payment_file = p.file and state = 'payment'
  ) b)`;

interface AwaitedDebit extends Selectable<LedgerTables['bankDebits']> {
  amount: MinorUnits;
  /** Payments that it books, and of which an operator has not said yet that the bank has not. */
  payments: string[];
  /** What is not of its payments. */
  rest: MinorUnits;
}

/** A debit that only notifications report, with the payments of ours that it books. Throws `not_possible`. */
export async function requireAwaitedDebit(ledger: Ledger, reference: string): Promise<AwaitedDebit> {
  const { rows } = await sql<AwaitedDebit>`
    select d.*, array(select p.id from ${paymentsOf} p where d.state <> 'unexplained' and not ${isGivenBack} order by p.id) as payments,
      (d.amount - coalesce((select sum(p.amount) from ${paymentsOf} p where d.state <> 'unexplained'), 0))::bigint as rest
    from bank_debits d where d.reference = ${reference} and ${canBeUnbooked} and not ${isStated}
      and not exists (select from bank_bookings b where b.source in (select d.reference union all select p.id::text from ${paymentsOf} p) and b.statement is not null)
  `.execute(ledger);
  const [debit] = rows;
  if (debit !== undefined && (debit.payments.length > 0 || debit.rest > 0n)) {
    await assertNotStatedOtherwise(ledger, debit);
    return debit;
  }
  const message = `There is no credit or debit ${reference} that only a notification reports: mintrail status names those, and what a statement lists is undone by what the bank books`;
  throw new StopError({ code: 'not_possible', message });
}

/** What a statement lists may be the same payment in another way, such as with its file or much later: it has left then. Throws `not_possible`. */
async function assertNotStatedOtherwise(ledger: Ledger, { reference, payments }: AwaitedDebit): Promise<void> {
  const { rows } = await sql<{ reference: string; others: string; ofFile: string | null }>`
    select d.reference, ${bookedBy} as others, (select string_agg(f.id::text, ',' order by f.id) from payments f
      where f.file = d.payment_file and f.state <> 'refused' having bool_or(f.booked_on is null)) as of_file
    from payments p cross join lateral ${namingDebits} d where p.id = any(${payments}::uuid[]) and ${isStated} order by d.reference limit 1
  `.execute(ledger);
  const [stated] = rows;
  if (stated === undefined) return;
  const as = stated.ofFile === null ? `repeat-of:${stated.others}` : `payment:${stated.ofFile}`;
  const message = `A statement lists the debit ${stated.reference}, which names a payment of the debit ${reference}, and nobody has explained it: ask the bank. If both are one booking, run mintrail bank explain ${stated.reference} --as ${as} --reason TEXT; else explain it as what it is first`;
  throw new StopError({ code: 'not_possible', message });
}

/**
 * An operator says that the bank has not booked a debit that it has notified. Its money comes back as by credits of the bank: payments of ours give back what they paid, and
 * the rest is what it was. Waits until no import runs. Throws `not_possible`.
 */
export async function undoAwaitedDebit(ledger: Ledger, reference: string, { reason, operator }: { reason: string; operator: string }) {
  return inTransaction(ledger, async (tx) => {
    await lockImports(tx);
    const { account, currency, amount, bookedOn, payments, rest, state } = await requireAwaitedDebit(tx, reference);
    const locked = [...(await lockPayments(tx, payments)).values()];
    const money = { bankAccount: account, currency, bookedOn };
    for (const { id, amount: paid } of locked) await bringPaymentBack(tx, id, { ...money, amount: paid }, reason);
    if (rest > 0n) {
      const credit = await recordUnbooked(tx, notBookedReference(reference), { ...money, amount: rest }, reference);
      const as = state === 'unexplained' ? ({ as: 'difference', debit: reference } as const) : ({ as: 'own' } as const);
      await settleCredit(tx, { ...as, reference: credit, reason, operator });
    }
    return { reference, amount, currency };
  });
}

/** A debit that an operator took for not booked, and that the bank has booked after all. */
export interface DebitedAfterAll {
  credit: string;
  debit: string;
  currency: string;
  amount: MinorUnits;
}

/** Undoes that operators took these debits, which statements list now, or those of the same payments, for not booked: what was given back is taken back, as by a debit of the bank. */
export async function redoUnbooked(tx: LedgerTransaction, listed: readonly string[]): Promise<DebitedAfterAll[]> {
  if (listed.length === 0) return [];
  const { rows } = await sql<DebitedAfterAll & { account: string; bookedOn: string; settledAs: string | null }>`
    select distinct on (c.reference) c.reference as credit, d.reference as debit, c.currency, c.amount, c.bank_account as account, c.booked_on::text, c.settled_as
    from bank_debits d cross join lateral (
        select came_back_by as reference from (select * from ${paymentsOf} p union select * from ${repeatedBy} p) p where p.came_back_by is not null
        union all select reference from credits where entry_reference = d.reference
      ) back join credits c on c.reference = back.reference
    where d.reference = any(${listed}::text[]) and ${isNotBooked(sql`c.reference`)}
      and not exists (select from bank_debits again where again.reference = c.reference) order by c.reference
  `.execute(tx);
  for (const { credit, currency, amount, account, bookedOn, settledAs } of rows) {
    const debit = { reference: credit, account, currency, amount, bookedOn, isSum: false, payee: {}, files: [] };
    await recordDebits(
      tx,
      [{ debit, problem: `the bank has booked after all what ${formatAmount(amount)} was given back for` }],
      'operator',
    );
    if (settledAs === 'difference') continue;
    const explanation = settledAs === 'own' ? ({ as: 'own' } as const) : ({ as: 'reversal-of', credits: [credit] } as const);
    await explainDebit(tx, credit, { explanation, reason: 'a statement lists the debit', operator: 'import' });
  }
  await sql`
    update bank_debits d set problem = 'the bank has booked its payments before: if it is another report of that, explain it by \`--as repeat-of:' || ${bookedBy} || '\`'
    where reference = any(${rows.map(({ debit }) => debit)}::text[]) and state = 'unexplained'
  `.execute(tx);
  return rows.map(({ credit, debit, currency, amount }) => ({ credit, debit, currency, amount }));
}
