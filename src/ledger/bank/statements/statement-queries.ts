import { type Selectable, sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { currencies, type Currency, type MinorUnits } from '../../../platform/money.ts';
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
