-- The statements of the bank, and which of the book's movements on its accounts they list (docs/book.md, The bank's balance).

create table bank_statements (
  id uuid primary key default uuidv7(),
  account text not null,
  currency text not null,
  -- The bank's id of the statement; empty when it gives none. Its pages share it.
  number text not null,
  -- The bank's running number.
  sequence bigint,
  from_on date,
  closed_on date not null,
  -- Minor units; null while no page has it.
  opening bigint,
  closing bigint,
  -- What was booked as the opening of the account by this statement: not zero for the first statements only.
  opened bigint not null default 0,
  -- Why a statement seems to be missing before it.
  gap text,
  gap_accepted_at timestamptz,
  gap_accepted_by text,
  gap_reason text,
  -- SHA-256 of the file that reported it last; null within its import.
  file bytea,
  imported_at timestamptz not null default now()
);
create index bank_statements_order on bank_statements (account, currency, closed_on, coalesce(sequence, 0), id);
create index bank_statements_number on bank_statements (account, currency, number);
create index bank_statements_importing on bank_statements (id) where file is null;
create index bank_statements_opened on bank_statements (account, currency) where opened <> 0;
create index bank_statements_gaps on bank_statements (imported_at) where gap is not null and gap_accepted_at is null;

create trigger audit_accept_gap after update on bank_statements for each row
  when (old.gap_accepted_at is null and new.gap_accepted_at is not null)
  execute function record_audit('statement.accept', 'statement', 'id', 'operator:gap_accepted_by', 'account,number,gap,gap_reason');

-- One row for each movement of the book on an account of the bank, and the statement that lists it.
create table bank_bookings (
  entry uuid not null,
  -- As in bank_statements.
  account text not null,
  currency text not null,
  amount bigint not null,
  booked_on date not null,
  -- The bank's reference or the payment that caused it, without what tells repetitions apart.
  source text not null,
  statement uuid references bank_statements,
  primary key (entry, account)
);
create index bank_bookings_day on bank_bookings (account, currency, booked_on);
create index bank_bookings_source on bank_bookings (source);
create index bank_bookings_unlisted_day on bank_bookings (account, currency, booked_on) where statement is null;

-- What undoes a movement is listed where the movement is. What is booked while a statement is applied is listed by it: `mintrail.statements` has its ids, one for each currency. The simulated bank has
-- no statements.
create function note_bank_bookings() returns trigger language plpgsql as $$
begin
  insert into bank_bookings (entry, account, currency, amount, booked_on, source, statement)
  select p.entry, substr(p.account, length('assets:bank:') + 1), p.currency, sum(p.amount), p.booked_on,
    regexp_replace(e.source, '(#again-\d+|#left-\d+|#replaced-\d+)+$', ''), coalesce(undone.statement, s.id)
  from new_postings p join entries e on e.id = p.entry
  left join bank_statements s on s.id = any(string_to_array(nullif(current_setting('mintrail.statements', true), ''), ',')::uuid[])
    and 'assets:bank:' || s.account = p.account and s.currency = p.currency
  left join lateral (
    select b.statement from bank_bookings b
    where e.kind in ('credit-repeated', 'credit-replaced', 'debit-replaced') and b.statement is not null
      and b.source = regexp_replace(e.source, '(#again-\d+|#left-\d+|#replaced-\d+)+$', '') and 'assets:bank:' || b.account = p.account
    limit 1
  ) undone on true
  where p.account like 'assets:bank:%' and p.account <> 'assets:bank:sandbox'
  group by p.entry, p.account, p.currency, p.booked_on, e.source, s.id, undone.statement;
  return null;
end $$;
create trigger note_bank_bookings after insert on postings referencing new table as new_postings
  for each statement execute function note_bank_bookings();
