-- What the book needs to know of credits and payments, and its opening.

-- No state may change between the opening and the commit.
lock table orders, legs, credits, payments, token_openings in share row exclusive mode;

-- The master account on which the bank has booked a credit, or `sandbox`. References begin with the account of the statement.
alter table credits add column bank_account text;
update credits set bank_account = case when source = 'sandbox' then 'sandbox'
  else replace(replace(replace(split_part(split_part(reference, ':', 1), '#', 1), '%3A', ':'), '%23', '#'), '%25', '%') end;
alter table credits alter column bank_account set not null;

-- The reference that a replaced credit had: the credit that is recorded under it next is another one.
alter table credits add column replaced_from text;
update credits set replaced_from = regexp_replace(reference, '#(sum-)?[a-z_]+$', '') where state = 'replaced';
create index credits_replaced on credits (replaced_from) where replaced_from is not null;

-- The account on which the bank has booked a payment, and its booking day. Until then an accepted payment is under way. Whether what was accepted
-- before is booked is not known any more: it counts as booked, by the account of its file.
alter table payments add column bank_account text;
alter table payments add column booked_on date;
with accounts as materialized (
  -- Once for each file: it may carry a thousand payments.
  select id, substring(content from '<DbtrAcct>.*?<(?:IBAN|Id)>([A-Z0-9]+)</') as account from payment_files
)
update payments p set
  bank_account = case when p.file is null then 'sandbox' else coalesce(a.account, 'unknown') end,
  booked_on = (p.decided_at at time zone 'utc')::date
from payments own left join accounts a on a.id = own.file
where own.id = p.id and own.state = 'accepted';
alter table payments add check ((bank_account is null) = (booked_on is null));
alter table payments add check (booked_on is null or state = 'accepted');

-- A credit that an operator has to return by hand is owed until a debit of the bank is known as its return.
alter table credits add column awaits_debit boolean not null default false;
create index credits_awaiting_debit on credits (reference) where awaits_debit;

-- The opening: each account of the book begins with what the states say. The other side is `equity:openings`, of which nothing is left but the
-- tokens that were in circulation before the ledger issued them. What was returned by hand counts as gone, as the reserve counted it.
create function pg_temp.open_account(source text, account text, currency text, amount numeric) returns void language sql as $$
  with opened as (
    insert into entries (kind, source, booked_on) select 'opening', source, (now() at time zone 'utc')::date where amount <> 0
    returning id, booked_on
  )
  insert into postings (entry, position, account, currency, amount, booked_on)
  select o.id, p.position, p.account, open_account.currency, p.amount, o.booked_on
  from opened o cross join lateral (values
    (0, case when open_account.amount > 0 then open_account.account else 'equity:openings' end, abs(open_account.amount)),
    (1, case when open_account.amount > 0 then 'equity:openings' else open_account.account end, -abs(open_account.amount))
  ) p(position, account, amount)
$$;

select pg_temp.open_account(chain || ':' || token, 'liabilities:tokens:' || chain, currency, -supply) from token_openings order by chain, token;

with moved as (
  select 'assets:bank:' || bank_account as account, currency, amount
  from credits where state <> 'replaced' and currency is not null and amount is not null
  union all
  select 'assets:bank:' || c.bank_account, c.currency, -c.amount
  from credits c where c.state = 'returned' and c.currency is not null and c.amount is not null
    and not exists (select from payments p where p.credit = c.reference and p.state <> 'refused')
  union all
  select 'assets:bank:' || bank_account, currency, -amount from payments where booked_on is not null
  union all
  select 'liabilities:tokens:' || chain, currency, case kind when 'issue' then -amount else amount end
  from legs where state = 'done' and kind in ('issue', 'redeem')
  union all
  select 'liabilities:issue', l.currency, -l.amount
  from legs l join credits c on c.order_id = l.order_id where l.kind = 'issue' and l.state in ('ready', 'sent')
  union all
  select 'liabilities:payout', b.currency, -b.amount
  from legs b
  where b.kind = 'redeem' and b.state = 'done'
    and not exists (select from legs l join payments p on p.leg = l.id where l.order_id = b.order_id and p.state in ('sent', 'accepted'))
    and not exists (select from legs l where l.order_id = b.order_id and l.kind = 'issue' and l.state = 'done')
    and not exists (select from orders d join legs l on l.order_id = d.id where d.source_order = b.order_id and l.kind = 'issue' and l.state = 'done')
  union all
  select 'liabilities:return', currency, -amount from legs where kind = 'return' and state = 'ready'
  union all
  select 'liabilities:return', currency, -amount from payments where kind = 'return' and state = 'ready'
  union all
  select 'liabilities:suspense', currency, -amount from credits where state = 'unmatched' and currency is not null and amount is not null
  union all
  select 'liabilities:payments', currency, -amount from payments where state = 'sent'
), accounts as (
  select account, currency, sum(amount) as amount from moved group by account, currency
)
select pg_temp.open_account(account || ':' || currency, account, currency, amount) from accounts order by account, currency;
