import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { currencies, type Currency, type MinorUnits, minorUnits } from '../../../platform/money.ts';
import type { MasterAccount } from '../../../platform/settings/setting-values.ts';
import { bankAccountIn } from '../../book/accounts.ts';
import { balanceOn } from '../../book/balances.ts';
import type { Ledger } from '../../ledger.ts';

/** A statement as an operator sees it. Amounts are minor units. */
export interface StatementView {
  id: string;
  account: string;
  currency: string;
  number: string;
  sequence: bigint | null;
  /** Days, `YYYY-MM-DD`. */
  from: string | null;
  closedOn: string;
  opening: MinorUnits | null;
  closing: MinorUnits | null;
  /** What the book has of the account on its closing day, as it is known now. */
  booked: MinorUnits;
  /** The closing balance less that; null while it is not known. */
  difference: MinorUnits | null;
  /** Why a statement seems to be missing before it, and why an operator accepts that. */
  gap: string | null;
  gapReason: string | null;
}

/** Statements, the latest first. */
export async function listStatements(
  ledger: Ledger,
  { account, limit }: { account?: string | undefined; limit: number },
): Promise<StatementView[]> {
  const { rows } = await sql<Omit<StatementView, 'booked' | 'difference'> & { booked: string }>`
    select s.id, s.account, s.currency, s.number, s.sequence, s.from_on::text as "from", s.closed_on::text as "closedOn", s.opening, s.closing,
      ${balanceOn(bankAccountIn('s.account'), sql.ref('s.currency'), sql.ref('s.closed_on'))}::text as booked, s.gap, s.gap_reason as "gapReason"
    from bank_statements s where ${account === undefined ? sql`true` : sql`s.account = ${account}`}
    order by s.closed_on desc, coalesce(s.sequence, 0) desc, s.id desc limit ${limit}
  `.execute(ledger);
  return rows.map((row) => {
    const booked = minorUnits(BigInt(row.booked));
    return Object.assign(row, { booked, difference: row.closing === null ? null : minorUnits(row.closing - booked) });
  });
}

/** A statement before which another seems to be missing. */
export interface StatementGap {
  id: string;
  account: string;
  currency: string;
  number: string;
  closedOn: string;
  gap: string;
  since: Date;
}

/** The gaps that nobody has accepted, the oldest first. */
export async function openGaps(ledger: Ledger, limit: number): Promise<StatementGap[]> {
  const { rows } = await sql<StatementGap>`
    select ${gapColumns} from bank_statements
    where gap is not null and gap_accepted_at is null order by imported_at, id limit ${limit}
  `.execute(ledger);
  return rows;
}

/** A gap that nobody has accepted, by the id of the statement behind it. Throws `not_found`. */
export async function findOpenGap(ledger: Ledger, id: string): Promise<StatementGap> {
  const { rows } = await sql<StatementGap>`
    select ${gapColumns} from bank_statements where id = ${id}::uuid and gap is not null and gap_accepted_at is null
  `.execute(ledger);
  if (rows[0]) return rows[0];
  throw unknownGap(id);
}

/** An operator accepts that no statement is missing before this one, as when the bank skips a number. Throws `not_found`. */
export async function acceptGap(ledger: Ledger, id: string, { reason, operator }: { reason: string; operator: string }): Promise<void> {
  const { numUpdatedRows } = await ledger
    .updateTable('bankStatements')
    .set({ gapAcceptedAt: sql`now()`, gapAcceptedBy: operator, gapReason: reason })
    .where('id', '=', id)
    .where('gap', 'is not', null)
    .where('gapAcceptedAt', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  throw unknownGap(id);
}

const gapColumns = sql`id, account, currency, number, closed_on::text as "closedOn", gap, imported_at as since`;

function unknownGap(id: string): StopError {
  return new StopError({
    code: 'not_found',
    message: `No statement is missing before ${id}, or that is accepted already: \`mintrail bank statements\` lists the gaps`,
  });
}

/** An account of which no statement has come for a while. */
export interface LateStatements {
  account: string;
  /** Day that the latest statement closes, `YYYY-MM-DD`; null when none has ever come. */
  closedOn: string | null;
}

/** Which of the accounts have no statement that closes on a day after `before`. One index lookup for each account and currency. */
export async function lateStatements(ledger: Ledger, accounts: readonly MasterAccount[], before: Date): Promise<LateStatements[]> {
  const pairs = accounts.flatMap(({ account, currency }) =>
    (currency ? [currency] : currencies).map((each): [string, Currency] => [account, each]),
  );
  if (pairs.length === 0) return [];
  const { rows } = await sql<LateStatements>`
    select a.account, max(s.closed_on)::text as "closedOn"
    from unnest(${pairs.map(([account]) => account)}::text[], ${pairs.map(([, currency]) => currency)}::text[]) a (account, currency)
    left join lateral (
      select closed_on from bank_statements s where s.account = a.account and s.currency = a.currency order by closed_on desc limit 1
    ) s on true
    group by a.account having coalesce(max(s.closed_on) <= ${before.toISOString().slice(0, 10)}::date, true) order by a.account
  `.execute(ledger);
  return rows;
}
