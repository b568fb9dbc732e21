-- What the book needs to know of credits and payments.

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
update payments p set
  bank_account = case when p.file is null then 'sandbox'
    else coalesce((select substring(f.content from '<DbtrAcct>.*?<(?:IBAN|Id)>([A-Z0-9]+)</') from payment_files f where f.id = p.file), 'unknown') end,
  booked_on = (decided_at at time zone 'utc')::date
where state = 'accepted';
alter table payments add check ((bank_account is null) = (booked_on is null));
alter table payments add check (booked_on is null or state = 'accepted');
