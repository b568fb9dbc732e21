-- A debit takes back several credits, each as a whole, or a part of one.

create table reversals (
  -- the debit's reference; behind it `#credit-1`, `#credit-2` where the debit takes several credits back. The source of its entries in the book
  reference text primary key,
  debit text not null references bank_debits on update cascade,
  credit text not null references credits on update cascade,
  amount bigint not null check (amount > 0),
  -- it takes back less than the credit
  is_part boolean not null default false
);
create unique index reversals_whole on reversals (credit) where not is_part;
create index reversals_credit on reversals (credit);
create index reversals_debit on reversals (debit);
insert into reversals (reference, debit, credit, amount) select reference, reference, reversed_credit, amount from bank_debits where reversed_credit is not null;

alter table bank_debits
  drop constraint bank_debits_reversal,
  drop column reversed_credit;

drop trigger audit_write_off on claims;
alter table claims
  drop constraint claims_debit_fkey,
  drop constraint claims_credit_key;
alter table claims rename column debit to reversal;
alter table claims add constraint claims_reversal_fkey foreign key (reversal) references reversals;
create index claims_credit on claims (credit);
create trigger audit_write_off after update on claims for each row
  when (old.state = 'open' and new.state = 'written_off' and is_acting())
  execute function record_audit('claim.write-off', 'debit', 'reversal', '', 'credit,currency,amount,recovered');
