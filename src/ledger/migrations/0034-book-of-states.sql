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
