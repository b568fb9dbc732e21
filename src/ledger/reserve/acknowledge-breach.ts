import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../../platform/money.ts';
import { accounts } from '../book/accounts.ts';
import { recordEntries } from '../book/entries.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { openRecovery } from '../recoveries.ts';
import type { ComparisonName } from '../../schema/column-types.ts';
import { type Breach, breachColumns, toBreach, wakeIssuers } from './breaches.ts';
import { type ComparisonItem, sumOf } from './comparison.ts';

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
    .select(breachColumns)
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
    .select(breachColumns)
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
