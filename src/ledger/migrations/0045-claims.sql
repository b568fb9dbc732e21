-- Credits that the bank takes back, and what it takes back after the money has gone on: claims.

-- `reversal`: the debit takes a credit back. `takes_back` says so in words while it is not known which.
alter table bank_debits
  drop constraint bank_debits_state_check,
  drop constraint bank_debits_explained_as_check,
  add constraint bank_debits_state_check check (state in ('payment', 'reversal', 'unexplained', 'explained', 'replaced')),
  add constraint bank_debits_explained_as_check check (explained_as in ('fee', 'interest', 'own', 'payment', 'return-of', 'reversal-of')),
  add column takes_back text,
  add column reversed_credit text unique references credits on update cascade,
  add constraint bank_debits_reversal check (state <> 'reversal' or reversed_credit is not null);
create index bank_debits_taking_back on bank_debits (received_at, reference) where state = 'unexplained' and takes_back is not null;

-- `reversed`: the bank took it back before it became tokens or was returned.
alter table credits
  drop constraint credits_state_check,
  drop constraint credits_settled_as_check,
  add constraint credits_state_check check (state in ('matched', 'unmatched', 'returned', 'replaced', 'settled', 'repeated', 'reversed')),
  add constraint credits_settled_as_check check (settled_as in ('own', 'difference', 'return', 'claim'));

-- What the operator has lost unless somebody pays it: the bank took a credit back that was issued or returned already (`open`), or is about to be
-- (`pending`, until that is known).
create table claims (
  -- the debit by which the bank took the credit back
  debit text primary key references bank_debits on update cascade,
  credit text not null unique references credits on update cascade,
  currency text not null,
  amount bigint not null check (amount > 0),
  -- minor units, by later credits
  recovered bigint not null default 0 check (recovered between 0 and amount),
  state text not null check (state in ('pending', 'open', 'void', 'recovered', 'written_off')),
  -- why it is written off
  reason text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((state in ('pending', 'open')) = (ended_at is null)),
  check (state <> 'recovered' or recovered = amount),
  check ((state = 'written_off') = (reason is not null))
);
create index claims_waiting on claims (created_at, debit) where state in ('pending', 'open');
create trigger audit_write_off after update on claims for each row
  when (old.state = 'open' and new.state = 'written_off' and is_acting())
  execute function record_audit('claim.write-off', 'debit', 'debit', '', 'credit,currency,amount,recovered');
