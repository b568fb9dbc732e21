-- The book: every movement of money is an entry whose postings add up to zero in each currency (docs/book.md).

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
create table postings_default partition of postings default;
create index postings_account on postings (account, currency, entry);

-- A balance is a row of `balances` and the changes that are not folded into it yet. Whoever writes postings adds rows here and waits for
-- nobody; the roll-forward alone updates balances and days.
create table balance_changes (
  id bigint generated always as identity primary key,
  account text not null,
  currency text not null,
  booked_on date not null,
  debited numeric not null,
  credited numeric not null
);
create table balances (
  account text not null,
  currency text not null,
  debited numeric not null,
  credited numeric not null,
  primary key (account, currency)
);
create table account_days (
  account text not null,
  currency text not null,
  day date not null,
  debited numeric not null,
  credited numeric not null,
  primary key (account, currency, day)
);

-- One statement writes all postings of an entry.
create function check_postings() returns trigger language plpgsql as $$
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
  if exists (select from new_postings n where not exists (select from entries e where e.id = n.entry)) then
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
create trigger balanced after insert on postings referencing new table as new_postings for each statement execute function check_postings();

create function refuse_book_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: correct an entry by another one', tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger append_only before update or delete or truncate on entries for each statement execute function refuse_book_change();
create trigger append_only before update or delete or truncate on postings for each statement execute function refuse_book_change();
