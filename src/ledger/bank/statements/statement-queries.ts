import { type Selectable, sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { currencies, type Currency, type MinorUnits, minorUnits } from '../../../platform/money.ts';
import type { MasterAccount } from '../../../platform/settings/setting-values.ts';
import { bankAccountIn } from '../../book/accounts.ts';
import { balanceOn } from '../../book/balances.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import type { Ledger } from '../../ledger.ts';

type Statement = Selectable<LedgerTables['bankStatements']>;

/** A statement as an operator sees it, with what seems to be missing before it. Amounts are minor units. */
export interface StatementView extends Pick<
  Statement,
  'id' | 'account' | 'currency' | 'number' | 'sequence' | 'closedOn' | 'opening' | 'closing' | 'gap' | 'gapReason'
> {
  from: string | null;
  /** What the book has of the account on its closing day, as it is known now. */
  booked: MinorUnits;
  /** The closing balance less that; null while it is not known. */
  difference: MinorUnits | null;
}

/** Statements, the latest first. */
export async function listStatements(
  ledger: Ledger,
  { account, limit }: { account?: string | undefined; limit: number },
): Promise<StatementView[]> {
  const { rows } = await sql<StatementView>`
    select s.id, s.account, s.currency, s.number, s.sequence, s.from_on as "from", s.closed_on, s.opening, s.closing,
      b.booked, s.closing - b.booked as difference, s.gap, s.gap_reason
    from (
      select * from bank_statements where ${account === undefined ? sql`true` : sql`account = ${account}`}
      order by closed_on desc, coalesce(sequence, 0) desc, id desc limit ${limit}
    ) s cross join lateral (select ${balanceOn(bankAccountIn('s.account'), sql.ref('s.currency'), sql.ref('s.closed_on'))}::bigint as booked) b
    order by s.closed_on desc, coalesce(s.sequence, 0) desc, s.id desc
  `.execute(ledger);
  return rows;
}

/** A statement before which another seems to be missing. */
export interface StatementGap extends Pick<Statement, 'id' | 'account' | 'currency' | 'number' | 'closedOn'> {
  gap: string;
  since: Date;
}

/** The gaps that nobody has accepted, the oldest first, or `only` that before the statement with an id. */
export async function openGaps(ledger: Ledger, limit: number, only?: string): Promise<StatementGap[]> {
  const { rows } = await sql<StatementGap>`
    select id, account, currency, number, closed_on, gap, imported_at as since from bank_statements
    where gap is not null and gap_accepted_at is null and ${only === undefined ? sql`true` : sql`id = ${only}::uuid`}
    order by imported_at, id limit ${limit}
  `.execute(ledger);
  return rows;
}

/** A gap that nobody has accepted, by the id of the statement behind it. Throws `not_found`. */
export async function findOpenGap(ledger: Ledger, id: string): Promise<StatementGap> {
  const [gap] = await openGaps(ledger, 1, id);
  if (gap === undefined) throw unknownGap(id);
  return gap;
}

/** An operator accepts that no statement is missing before this one, as when the bank skips a number. Throws `not_found`. */
export async function acceptGap(ledger: Ledger, id: string, { reason, operator }: { reason: string; operator: string }): Promise<void> {
  const { numAffectedRows } = await sql`
    update bank_statements set gap_accepted_at = now(), gap_accepted_by = ${operator}, gap_reason = ${reason}
    where id = ${id} and gap is not null and gap_accepted_at is null
  `.execute(ledger);
  if (numAffectedRows !== 1n) throw unknownGap(id);
}

function unknownGap(id: string): StopError {
  const message = `No statement is missing before ${id}, or that is accepted already: \`mintrail bank statements\` lists the gaps`;
  return new StopError({ code: 'not_found', message });
}

/**
 * Which of the accounts have no statement that closes on a day after `before`, with the day that the latest closes, null when none has ever come. One index lookup for
 * each account and currency.
 */
export async function lateStatements(ledger: Ledger, accounts: readonly MasterAccount[], before: Date) {
  const pairs = accounts.flatMap(({ account, currency }) =>
    (currency ? [currency] : currencies).map((each): [string, Currency] => [account, each]),
  );
  if (pairs.length === 0) return [];
  const { rows } = await sql<{ account: string; closedOn: string | null }>`
    select a.account, max(s.closed_on)::text as "closedOn"
    from unnest(${pairs.map(([account]) => account)}::text[], ${pairs.map(([, currency]) => currency)}::text[]) a (account, currency)
    left join lateral (
      select closed_on from bank_statements s where s.account = a.account and s.currency = a.currency order by closed_on desc limit 1
    ) s on true
    group by a.account having coalesce(max(s.closed_on) <= ${before.toISOString().slice(0, 10)}::date, true) order by a.account
  `.execute(ledger);
  return rows;
}

/** The newest statement of an account and currency, and what the book has of the account on its closing day. Minor units. */
export interface BankBalance extends Pick<Selectable<LedgerTables['bankStatements']>, 'account' | 'currency' | 'number' | 'closedOn'> {
  closing: MinorUnits;
  booked: MinorUnits;
  /**
   * What the book has on or before that day and no statement lists yet: known from notifications. What was due in an earlier statement than the
   * newest explains nothing any more: it may be money that was counted twice.
   */
  unlisted: Bookings;
  /** What statements list and the book has on a later day. */
  later: Bookings;
}

/** Movements of the book on an account: the first of them, and the sum of all. */
export interface Bookings<Amount = MinorUnits> {
  count: number;
  amount: Amount;
  first: { kind: string; source: string; bookedOn: string; amount: Amount }[];
}

/** JSON has no bigint. */
type Written<Balance> = { [Key in keyof Balance]: Balance[Key] extends Bookings ? Bookings<string> : Balance[Key] };

/** Movements that are named one by one. */
const mostNamed = 20;

/**
 * Reads the newest statement of every account and currency, and the book beside it, in one snapshot. Costs the same whatever the history. One
 * of which a page has not come is not compared, until an operator accepts that there is none.
 */
export async function readBankBalances(ledger: Ledger): Promise<BankBalance[]> {
  const { rows } = await sql<Written<BankBalance>>`
    with recursive accounts as (
      (select account, currency from bank_statements order by account, currency limit 1)
      union all
      select n.account, n.currency from accounts a cross join lateral (
        select s.account, s.currency from bank_statements s where (s.account, s.currency) > (a.account, a.currency)
        order by s.account, s.currency limit 1
      ) n
    )
    select s.account, s.currency, s.number, s.closed_on, s.closing,
      ${balanceOn(bankAccountIn('s.account'), sql.ref('s.currency'), sql.ref('s.closed_on'))}::bigint as booked,
      ${bookings(sql`b.booked_on <= s.closed_on and b.booked_on > s.before and (b.statement is null or ${isListedLater})`)} as unlisted,
      ${bookings(sql`b.booked_on > s.closed_on and b.statement is not null and not ${isListedLater}`)} as later
    from accounts a cross join lateral (
      select s.*, coalesce((
        select p.closed_on from bank_statements p where p.account = s.account and p.currency = s.currency and p.closed_on < s.closed_on
        order by p.closed_on desc limit 1), '-infinity') as before
      from bank_statements s where s.account = a.account and s.currency = a.currency and ${isWhole('s')}
        and s.closed_on = (
          select l.closed_on from bank_statements l where l.account = a.account and l.currency = a.currency and ${isWhole('l')}
          order by l.closed_on desc limit 1)
      -- Of statements of a day, one that opens where another closes comes after it, and one on demand before that of the day, in whichever order they were imported.
      order by exists (
        select from bank_statements n where n.account = s.account and n.currency = s.currency and n.closed_on = s.closed_on
          and n.opening = s.closing and n.opening <> n.closing and n.id <> s.id), ${madeAt} desc nulls last, coalesce(s.sequence, 0) desc, s.id desc limit 1
    ) s
    order by s.account, s.currency
  `.execute(ledger);
  return rows.map((row) => Object.assign(row, { unlisted: inUnits(row.unlisted), later: inUnits(row.later) }));
}

/** SQL: when the bank first made the statement `s`, as it says. */
const madeAt = sql`(
  select min(d.created) from bank_documents d
  where d.account = s.account and d.closed_on = s.closed_on and d.statements @> array[s.id])`;

/** SQL: whether a statement says how it closes, and all its pages are there as far as anybody knows. */
function isWhole(statement: string) {
  const [closing, missingPage, acceptedAt] = ['closing', 'missing_page', 'gap_accepted_at'].map((name) => sql.ref(`${statement}.${name}`));
  return sql`(${closing} is not null and (${missingPage} is null or ${acceptedAt} is not null))`;
}

/** SQL: whether the statement that lists the movement `b` is after `s`, or cannot be compared yet. */
const isListedLater = sql`exists (select from bank_statements o where o.id = b.statement and (o.closed_on > s.closed_on or not ${isWhole('o')}))`;

/** SQL: movements on the account of the statement `s` as one JSON value. `condition` is about `b`. */
function bookings(condition: ReturnType<typeof sql>) {
  return sql`(
    select jsonb_build_object('count', count(*), 'amount', coalesce(sum(n.amount), 0)::text, 'first', coalesce(jsonb_agg(jsonb_build_object(
      'kind', n.kind, 'source', n.source, 'bookedOn', n.booked_on, 'amount', n.amount::text) order by n.booked_on, n.entry)
      filter (where n.place <= ${mostNamed}), '[]'))
    from (
      select min(b.entry::text) as entry, min(b.booked_on) as booked_on, sum(b.amount) as amount, min(e.kind) as kind, b.source,
        row_number() over (order by min(b.booked_on), min(b.entry::text)) as place
      from bank_bookings b join entries e on e.id = b.entry
      where b.account = s.account and b.currency = s.currency and ${condition}
      group by b.source having sum(b.amount) <> 0
    ) n)`;
}

function inUnits({ count, amount, first }: Bookings<string>): Bookings {
  return { count, amount: toAmount(amount), first: first.map((row) => Object.assign(row, { amount: toAmount(row.amount) })) };
}

function toAmount(text: string): MinorUnits {
  return minorUnits(BigInt(text));
}
