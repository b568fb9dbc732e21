-- The book: every movement of money is an entry whose postings add up to zero in each currency (docs/book.md). And its comparisons with what it is
-- not derived from.

create table entries (
  id uuid primary key default uuidv7(),
  kind text not null,
  -- What caused it: the bank's reference of a credit, a leg, a payment. Each causes one entry of a kind.
  source text not null,
  -- The bank's booking day, or the day of UTC for what no bank books.
  booked_on date not null,
  at timestamptz not null default now(),
  unique (kind, source)
);
comment on table entries is 'Movements of money. Append-only: an entry is corrected by another one.';

create table postings (
  entry uuid not null,
  position smallint not null,
  account text not null,
  currency text not null,
  -- Minor units; a debit is positive, a credit negative.
  amount bigint not null check (amount <> 0),
  booked_on date not null,
  primary key (entry, position)
) partition by range (entry);
comment on table postings is 'The sides of an entry. One statement writes all of them, and they add up to zero in each currency. Append-only.';
create index postings_account on postings (account, currency, entry);

create table balance_changes (
  id bigint generated always as identity primary key,
  account text not null,
  currency text not null,
  booked_on date not null,
  debited numeric not null,
  credited numeric not null
);
comment on table balance_changes is
  'Changes of balances that are not folded into `balances` yet. Whoever writes postings adds rows here and waits for nobody.
  Derived from: postings, by a trigger. Checked by: test/schema/derived-tables.db.test.ts.';

create table balances (
  account text not null,
  currency text not null,
  debited numeric not null,
  credited numeric not null,
  primary key (account, currency)
);
comment on table balances is
  'Balances of the accounts of the book, without the changes that are not folded in yet. The roll-forward alone writes it.
  Derived from: postings, by way of `balance_changes`. Checked by: test/schema/derived-tables.db.test.ts.';

create table account_days (
  account text not null,
  currency text not null,
  day date not null,
  debited numeric not null,
  credited numeric not null,
  primary key (account, currency, day)
);
comment on table account_days is
  'What each account was debited and credited on a day. The roll-forward alone writes it.
  Derived from: postings, by way of `balance_changes`. Checked by: test/schema/derived-tables.db.test.ts.';

create table comparisons (
  comparison text not null,
  currency text not null,
  account text not null,
  chain text not null,
  expected numeric not null,
  actual numeric not null,
  items jsonb not null,
  difference numeric not null,
  compared_at timestamptz not null default now(),
  primary key (comparison, currency, account)
);
comment on table comparisons is
  'The newest result of each comparison of the book with what it is not derived from (docs/book.md, Comparisons). Amounts are minor units.';

create table reserve_breaches (
  id uuid primary key default uuidv7(),
  currency text not null,
  difference numeric not null,
  found_at timestamptz not null default now(),
  acknowledged_at timestamptz,
  acknowledged_by text,
  comparison text not null default 'index' check (comparison in ('states', 'index', 'nodes', 'bank')),
  -- Empty for what belongs to no network.
  chain text not null default '',
  -- The account of the book that is compared; empty for the trial balance, and for breaches of the versions before.
  account text not null default '',
  reason text,
  -- What explains the difference: `{text, amount}`, the amount in minor units.
  items jsonb,
  -- When its difference was gone: from then on it explains nothing any more.
  ended_at timestamptz,
  check ((acknowledged_at is null) = (acknowledged_by is null))
);
comment on table reserve_breaches is
  'Comparisons that differ: nothing more of the currency is issued until an operator acknowledges that, with items that explain the difference.';
create unique index reserve_breaches_open on reserve_breaches (currency, comparison, account) where acknowledged_at is null;
create index reserve_breaches_acknowledged on reserve_breaches (currency) where acknowledged_at is not null and ended_at is null;

create table reserve_samples (
  step text not null check (step in ('minute', 'hour')),
  -- The beginning of the minute or hour.
  taken_at timestamptz not null,
  currency text not null,
  -- Minor units, all three.
  bank bigint not null,
  under_way bigint not null,
  -- By network, as texts: JSON's numbers are not exact.
  circulation jsonb not null,
  primary key (step, taken_at, currency)
);
comment on table reserve_samples is 'What the reserve was over time, for the charts of the console: a row a minute for a day, and a row an hour for a quarter.';

-- One statement writes all postings of an entry. A connection keeps the plan of a trigger. One that was made when the planner had counted few entries
-- would read all entries for each posting, in a burst of credits in a new ledger: so an entry is looked up by its id, by the index alone.
create function check_postings() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  unbalanced record;
begin
  -- Most statements that may book something book nothing.
  if not exists (select from new_postings) then
    return null;
  end if;
  select n.entry, n.currency, sum(n.amount) as rest into unbalanced
  from new_postings n group by n.entry, n.currency having sum(n.amount) <> 0 limit 1;
  if found then
    raise exception 'the postings of the entry % differ by % minor units of %', unbalanced.entry, unbalanced.rest, unbalanced.currency
      using errcode = 'check_violation';
  end if;
  if exists (select from new_postings n where (select e.id from entries e where e.id = n.entry) is null) then
    raise exception 'a posting has no entry' using errcode = 'foreign_key_violation';
  end if;
  -- The primary key lets only one statement write position 0 of an entry, so no other adds to it.
  if exists (select from new_postings n group by n.entry having min(n.position) <> 0) then
    raise exception 'the postings of an entry begin at position 0' using errcode = 'check_violation';
  end if;
  insert into balance_changes (account, currency, booked_on, debited, credited)
  select account, currency, booked_on, coalesce(sum(amount) filter (where amount > 0), 0), coalesce(-sum(amount) filter (where amount < 0), 0)
  from new_postings group by account, currency, booked_on;
  return null;
end $$;

create function refuse_book_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: correct an entry by another one', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create trigger balanced after insert on postings referencing new table as new_postings for each statement execute function check_postings();
create trigger append_only before update or delete or truncate on entries for each statement execute function refuse_book_change();
create trigger append_only before update or delete or truncate on postings for each statement execute function refuse_book_change();

select make_default_partition('postings'), make_partitions('postings');
