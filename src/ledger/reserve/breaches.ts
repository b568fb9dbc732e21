import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../../platform/money.ts';
import { accounts } from '../book/accounts.ts';
import { recordEntries } from '../book/entries.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { openRecovery } from '../recoveries.ts';
import { laneQueue, payoutQueue } from '../wake-ups.ts';
import type { ComparisonName } from '../../schema/column-types.ts';
import { type ComparisonItem, type ComparisonSubject, subjectKey, sumOf } from './comparison.ts';
import { readItems } from './comparisons.ts';

/** A difference that lasts and that nobody has acknowledged. Nothing is issued of its currency. */
export interface Breach extends ComparisonSubject {
  id: string;
  /** Minor units, without what was acknowledged before. It follows the comparison until the breach is acknowledged. */
  difference: MinorUnits;
  foundAt: Date;
}

/** A breach that an operator has acknowledged, and whose difference lasts. */
export interface AcknowledgedBreach extends Breach {
  acknowledgedAt: Date;
  acknowledgedBy: string;
  reason: string;
  /** What explains the difference; they add up to it. */
  items: ComparisonItem[];
}

const columns = ['id', 'comparison', 'currency', 'account', 'chain', 'difference', 'foundAt'] as const;

/** The breaches that nobody has acknowledged, by currency. */
export async function openBreaches(ledger: Ledger): Promise<Breach[]> {
  const rows = await ledger
    .selectFrom('reserveBreaches')
    .where('acknowledgedAt', 'is', null)
    .orderBy('currency')
    .orderBy('comparison')
    .orderBy('account')
    .select(columns)
    .execute();
  return rows.map(toBreach);
}

/** The breaches that an operator has acknowledged and whose difference lasts, the oldest first. */
export async function acknowledgedBreaches(ledger: Ledger): Promise<AcknowledgedBreach[]> {
  const rows = await ledger
    .selectFrom('reserveBreaches')
    .where('acknowledgedAt', 'is not', null)
    .where('endedAt', 'is', null)
    .orderBy('currency')
    .orderBy('acknowledgedAt')
    .select(columns)
    .select(['acknowledgedAt', 'acknowledgedBy', 'reason', 'items'])
    .execute();
  return rows.map(({ acknowledgedAt, acknowledgedBy, reason, items, ...row }) =>
    Object.assign(toBreach(row), {
      acknowledgedAt: acknowledgedAt as Date,
      acknowledgedBy: acknowledgedBy ?? '',
      reason: reason ?? '',
      items: readItems(items ?? []),
    }),
  );
}

/** Of every subject the difference of its breach that nobody has acknowledged, and the sum of those that an operator has. By one statement. */
export async function readDifferences(ledger: Ledger): Promise<Record<'open' | 'acknowledged', Map<string, MinorUnits>>> {
  const rows = await ledger
    .selectFrom('reserveBreaches')
    .where((breach) => breach.or([breach('acknowledgedAt', 'is', null), breach('endedAt', 'is', null)]))
    .select(['comparison', 'currency', 'account', 'chain', 'difference', 'acknowledgedAt'])
    .execute();
  const breaches = rows.map(toBreach);
  const open = breaches.filter(({ acknowledgedAt }) => acknowledgedAt === null);
  return {
    open: new Map(open.map((breach) => [subjectKey(breach), breach.difference])),
    acknowledged: acknowledgedSums(breaches.filter(({ acknowledgedAt }) => acknowledgedAt !== null)),
  };
}

function toBreach<Row extends { difference: string }>(row: Row): Omit<Row, 'difference'> & { difference: MinorUnits } {
  return { ...row, difference: minorUnits(BigInt(row.difference)) };
}

/**
 * Records a breach, which stops issuing of its currency; where the subject has an open one, its difference becomes this one. `difference` is
 * without what was acknowledged before. Returns whether the breach is new.
 */
export async function recordBreach(ledger: Ledger, subject: ComparisonSubject, difference: MinorUnits): Promise<boolean> {
  const { comparison, currency, account, chain } = subject;
  // Who updates a row has locked it, so `xmax` is its transaction; a row that is new has none.
  const { rows } = await sql<{ isNew: boolean }>`
    insert into reserve_breaches (comparison, currency, account, chain, difference)
    values (${comparison}, ${currency}, ${account}, ${chain}, ${difference.toString()}::numeric)
    on conflict (currency, comparison, account) where acknowledged_at is null do update set difference = excluded.difference
    returning xmax = 0 as "isNew"
  `.execute(ledger);
  return rows[0]?.isNew ?? false;
}

/** An open breach has the difference of the moment, which may be zero: it stays until it is acknowledged. */
export async function updateBreach(
  ledger: Ledger,
  { comparison, currency, account }: ComparisonSubject,
  difference: MinorUnits,
): Promise<void> {
  await ledger
    .updateTable('reserveBreaches')
    .set({ difference: difference.toString() })
    .where('comparison', '=', comparison)
    .where('currency', '=', currency)
    .where('account', '=', account)
    .where('acknowledgedAt', 'is', null)
    .execute();
}

/** Under this name the ledger ends a breach whose cause is gone. */
const endedBy = 'mintrail';

/**
 * The open breach of a subject is over by itself, because later reports explain its difference: it ends, recorded with the reason, and its currency goes on when it was
 * the last one. Returns whether there was one. Does nothing while a recovery is open.
 */
export async function endBreach(ledger: Ledger, { comparison, currency, account }: ComparisonSubject, reason: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    if ((await openRecovery(tx)) !== undefined) return false;
    const ended = await tx
      .updateTable('reserveBreaches')
      .set({ acknowledgedAt: sql`now()`, acknowledgedBy: endedBy, reason, endedAt: sql`now()` })
      .where('comparison', '=', comparison)
      .where('currency', '=', currency)
      .where('account', '=', account)
      .where('acknowledgedAt', 'is', null)
      .returning('id')
      .execute();
    if (ended.length > 0) await wakeIssuers(tx, currency);
    return ended.length > 0;
  });
}

/** The difference of a subject is gone: what was acknowledged explains nothing any more, and the same difference would be a new breach. */
export async function endAcknowledgements(ledger: Ledger, { comparison, currency, account }: ComparisonSubject): Promise<void> {
  await ledger
    .updateTable('reserveBreaches')
    .set({ endedAt: sql`now()` })
    .where('comparison', '=', comparison)
    .where('currency', '=', currency)
    .where('account', '=', account)
    .where('acknowledgedAt', 'is not', null)
    .where('endedAt', 'is', null)
    .execute();
}

/** How an operator acknowledges a breach. */
export interface Acknowledgement {
  currency: string;
  comparison: ComparisonName;
  /** The account of the book; needed where several of the comparison have a breach. */
  account?: string | undefined;
  /** What the investigation showed. */
  reason: string;
  /** They add up to the difference. */
  items: readonly ComparisonItem[];
  /** Books the difference as the operator's loss or gain, so that the book holds what the index says: for tokens in circulation that no order explains. */
  books?: boolean | undefined;
  operator: string;
}

/**
 * An operator acknowledges a breach: issuing goes on when it was the last one of the currency. Only the difference of the moment is acknowledged;
 * one that changes afterwards is a new breach. While a recovery is open, what seems to be a difference may be what this ledger has
 * forgotten. No other guard looks at acknowledgements. Throws what {@link requireBreach} throws, and `not_possible`.
 */
export async function acknowledgeBreach(ledger: Ledger, acknowledgement: Acknowledgement): Promise<Breach> {
  const { reason, items, operator, books = false } = acknowledgement;
  return inTransaction(ledger, async (tx) => {
    const breach = await requireBreach(tx, acknowledgement, 'lock');
    if ((await openRecovery(tx)) !== undefined) throw recoveryOpen();
    if (books) await bookDifference(tx, breach);
    await tx
      .updateTable('reserveBreaches')
      .set({
        acknowledgedAt: sql`now()`,
        acknowledgedBy: operator,
        reason,
        items: JSON.stringify(items.map(({ text, amount }) => ({ text, amount: amount.toString() }))),
        // Nothing is left to explain when the difference has gone by itself, or is in the book.
        ...((books || breach.difference === 0n) && { endedAt: sql`now()` }),
      })
      .where('id', '=', breach.id)
      .execute();
    await wakeIssuers(tx, breach.currency);
    return breach;
  });
}

/**
 * The breach that an acknowledgement is about, which its items explain. With `books`, and without an open breach, it is one that was acknowledged before with the
 * same sum. Throws `not_found` and `bad_input`.
 */
export async function requireBreach(
  ledger: Ledger,
  acknowledgement: Omit<Acknowledgement, 'reason' | 'operator'>,
  lock?: 'lock',
): Promise<Breach> {
  const { comparison, currency, items, books = false } = acknowledgement;
  const sum = sumOf(items);
  const breach =
    (await findOpen(ledger, acknowledgement, lock)) ?? (books ? await findUnbooked(ledger, acknowledgement, sum, lock) : undefined);
  if (breach === undefined)
    throw new StopError({
      code: 'not_found',
      message: `There is no open breach of ${currency} in the comparison \`${comparison}\`: \`mintrail reconcile\` shows open breaches`,
    });
  if (sum !== breach.difference)
    throw new StopError({
      code: 'bad_input',
      message: `The items add up to ${formatAmount(sum)}, and the difference is ${formatAmount(breach.difference)}: explain it to the cent`,
    });
  if (books && comparison !== 'index')
    throw new StopError({
      code: 'bad_input',
      message: `Only a difference of the comparison \`index\` can be booked, and this is one of \`${comparison}\``,
    });
  return breach;
}

function recoveryOpen(): StopError {
  return new StopError({
    code: 'not_possible',
    message:
      'A recovery is open: this ledger may have issued and paid what it does not know yet, and would do it again. End it first: `mintrail recover` says what is missing, and `mintrail recover --apply` ends it',
  });
}

/** Tokens that nobody paid for are the operator's loss, and those that somebody destroyed without being paid, a gain. */
async function bookDifference(tx: LedgerTransaction, { id, currency, account, difference }: Breach): Promise<void> {
  if (difference === 0n) return;
  const [debit, credit] = difference > 0n ? [accounts.operator, account] : [account, accounts.operator];
  const amount = minorUnits(difference > 0n ? difference : 0n - difference);
  await recordEntries(tx, [{ kind: 'breach-booked', source: id, debit, credit, currency, amount }]);
}

/** Whose breach an acknowledgement is about. */
type Named = Pick<Acknowledgement, 'currency' | 'comparison' | 'account'>;

async function findOpen(ledger: Ledger, { currency, comparison, account }: Named, lock?: 'lock'): Promise<Breach | undefined> {
  const breaches = await ledger
    .selectFrom('reserveBreaches')
    .where('currency', '=', currency)
    .where('comparison', '=', comparison)
    .where('acknowledgedAt', 'is', null)
    .$if(account !== undefined, (query) => query.where('account', '=', account ?? ''))
    .orderBy('account')
    .$if(lock !== undefined, (query) => query.forUpdate())
    .select(columns)
    .execute();
  const [breach, ...others] = breaches.map(toBreach);
  if (others.length > 0) throw ambiguousBreach(breaches);
  return breach;
}

/** An acknowledged breach over `sum` whose difference lasts, to be booked. */
async function findUnbooked(
  ledger: Ledger,
  { currency, comparison, account }: Named,
  sum: MinorUnits,
  lock?: 'lock',
): Promise<Breach | undefined> {
  const rows = await ledger
    .selectFrom('reserveBreaches')
    .where('currency', '=', currency)
    .where('comparison', '=', comparison)
    .where('acknowledgedAt', 'is not', null)
    .where('endedAt', 'is', null)
    .where('difference', '=', sum.toString())
    .$if(account !== undefined, (query) => query.where('account', '=', account ?? ''))
    .orderBy('acknowledgedAt')
    .$if(lock !== undefined, (query) => query.forUpdate())
    .select(columns)
    .execute();
  // Two of one account over the same sum are alike: the older is booked first.
  const [breach] = rows.map(toBreach);
  if (rows.some((row) => row.account !== breach?.account)) throw ambiguousBreach(rows);
  return breach;
}

function ambiguousBreach(breaches: readonly { account: string }[]): StopError {
  return new StopError({
    code: 'bad_input',
    message: `Several accounts have a breach: add --account with one of ${breaches.map(({ account }) => account).join(', ')}`,
  });
}

/** Issue legs and payments may have waited for the breach. */
async function wakeIssuers(tx: LedgerTransaction, currency: string): Promise<void> {
  const { rows } = await sql<{ chain: Chain }>`
    select distinct chain from open_legs where state = 'ready' and kind = 'issue' and currency = ${currency}
  `.execute(tx);
  tx.wakeUps.add(payoutQueue, ...rows.map(({ chain }) => laneQueue(chain)));
}

/** What is acknowledged of each subject, in minor units, by {@link subjectKey}. */
export function acknowledgedSums(breaches: readonly (ComparisonSubject & Pick<Breach, 'difference'>)[]): Map<string, MinorUnits> {
  const sums = new Map<string, MinorUnits>();
  for (const breach of breaches) {
    const key = subjectKey(breach);
    sums.set(key, minorUnits((sums.get(key) ?? 0n) + breach.difference));
  }
  return sums;
}
