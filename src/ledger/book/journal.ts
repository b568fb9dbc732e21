import { sql } from 'kysely';
import { currencies, type MinorUnits, minorUnits } from '../../platform/money.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import { entryKinds } from './entries.ts';

/** One side of an entry. */
interface Posting {
  account: string;
  currency: string;
  /** Minor units; a debit is positive, a credit negative. */
  amount: MinorUnits;
}

/** An entry with its postings, in the order in which they were written. */
export interface JournalEntry {
  id: string;
  kind: string;
  source: string;
  /** Booking day, `YYYY-MM-DD`. */
  bookedOn: string;
  at: Date;
  postings: Posting[];
}

/** What an account's posting shows: the entry it belongs to, and the accounts on its other side. */
export interface AccountPosting extends Omit<JournalEntry, 'postings' | 'id'> {
  entry: string;
  currency: string;
  /** Minor units; a debit is positive, a credit negative. */
  amount: MinorUnits;
  others: string[];
}

/** Entries read at once by {@link readJournal}. */
const pageSize = 2_000;

type EntryRow = Omit<JournalEntry, 'postings'> & { postings: { account: string; currency: string; amount: string }[] };

const postingsOf = sql`(
  select jsonb_agg(jsonb_build_object('account', p.account, 'currency', p.currency, 'amount', p.amount::text) order by p.position)
  from postings p where p.entry = e.id)`;
const entryColumns = sql`e.id, e.kind, e.source, e.booked_on::text as booked_on, e.at, ${postingsOf} as postings`;

/** The entry with this id, if there is one. */
export async function findEntry(ledger: Ledger, id: string): Promise<JournalEntry | undefined> {
  const { rows } = await sql<EntryRow>`select ${entryColumns} from entries e where e.id = ${id}`.execute(ledger);
  return rows.map(toEntry)[0];
}

/** The entries that one of these sources caused (docs/book.md, Entries), the oldest first. */
export async function findEntriesOf(ledger: Ledger, sources: readonly string[]): Promise<JournalEntry[]> {
  const { rows } = await sql<EntryRow>`
    select ${entryColumns}
    from unnest(${entryKinds}::text[]) k (kind) cross join unnest(${sources}::text[]) s (source)
    -- The limit has each looked up by its key: the planner takes the lists for long ones, for which it would read all entries.
    cross join lateral (select * from entries where kind = k.kind and source = s.source limit 1) e
    order by e.id
  `.execute(ledger);
  return rows.map(toEntry);
}

/** The newest postings of an account, the newest first. */
export async function listAccountPostings(
  ledger: Ledger,
  { account, currency, limit }: { account: string; currency?: string | undefined; limit: number },
): Promise<AccountPosting[]> {
  // Of each currency by itself, because the index has its newest postings together.
  const { rows } = await sql<AccountPosting & { amount: string }>`
    select p.entry, e.kind, e.source, e.booked_on::text as booked_on, e.at, p.currency, p.amount::text as amount,
      (select array_agg(distinct o.account order by o.account) from postings o where o.entry = p.entry and o.account <> p.account) as others
    from (
      select p.* from unnest(${currency === undefined ? [...currencies] : [currency]}::text[]) c (currency)
      cross join lateral (
        select p.entry, p.account, p.currency, p.amount from postings p where p.account = ${account} and p.currency = c.currency
        order by p.entry desc limit ${limit}
      ) p
      order by p.entry desc limit ${limit}
    ) p cross join lateral (select * from entries where id = p.entry limit 1) e
    order by p.entry desc
  `.execute(ledger);
  return rows.map((row) => Object.assign(row, { amount: minorUnits(BigInt(row.amount)), others: row.others ?? [] }));
}

/**
 * All entries, in pages, the oldest first, as they were at one moment: also of a journal that grows meanwhile. `handle` is awaited
 * for each page; memory does not grow with the journal.
 */
export async function readJournal(ledger: Ledger, handle: (entries: JournalEntry[]) => Promise<void> | void): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    await sql`set transaction isolation level repeatable read read only`.execute(tx);
    for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
      const { rows } = await sql<EntryRow>`
        select ${entryColumns} from entries e where e.id > ${after} order by e.id limit ${pageSize}
      `.execute(tx);
      await handle(rows.map(toEntry));
      const last = rows.at(-1);
      if (rows.length < pageSize || last === undefined) return;
      after = last.id;
    }
  });
}

function toEntry({ postings, ...row }: EntryRow): JournalEntry {
  return { ...row, postings: postings.map((posting) => Object.assign(posting, { amount: minorUnits(BigInt(posting.amount)) })) };
}
