-- One index instead of two finds credits by their EndToEndId: with the day for a second report of the same money, and with the days before a debit
-- for the credits that it may take back. The amount comes first, because it tells apart payments that share an EndToEndId such as `RENT`.
drop index credits_end_to_end;
drop index credits_end_to_end_amount;
create index credits_end_to_end on credits (
  hashtextextended(end_to_end_id, 0), amount, booked_on,
  hashtextextended(coalesce(payer ->> 'iban', payer ->> 'accountNumber', upper(left(payer ->> 'name', 35)), ''), 0), iban
) where end_to_end_id is not null;

-- As before, except that an entry is looked up by its id. A plan that was made while there were few entries would read all of them from end to end,
-- for every statement that books something, until the planner knows better.
create or replace function check_postings() returns trigger language plpgsql as $$
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
create or replace function note_bank_bookings() returns trigger language plpgsql as $$
begin
  insert into bank_bookings (entry, account, currency, amount, booked_on, source, statement)
  select p.entry, substr(p.account, length('assets:bank:') + 1), p.currency, sum(p.amount), p.booked_on,
    regexp_replace(e.source, '(#again-\d+|#left-\d+|#replaced-\d+)+$', ''), coalesce(undone.statement, s.id)
  from new_postings p cross join lateral (select kind, source from entries where id = p.entry limit 1) e
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
