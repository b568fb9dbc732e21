-- Every debit that a bank books on an account of ours, as credits are kept: a payment of ours, or money that left for another reason.

create table bank_debits (
  -- As credits.reference: the same money has the same reference in whichever file it is reported.
  reference text primary key,
  entry_reference text,
  -- The reference that it had before its transactions replaced it.
  replaced_from text,
  -- The reference under which a statement lists it, once one does.
  listed_as text,
  is_sum boolean not null default false,
  account text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  booked_on date not null,
  payee jsonb not null default '{}',
  remittance text,
  end_to_end_id text,
  uetr text,
  -- Name of the file.
  source text not null,
  state text not null check (state in ('payment', 'unexplained', 'explained', 'replaced')),
  payment uuid references payments,
  -- A whole payment file that the bank booked in one sum.
  payment_file uuid references payment_files,
  -- Why it is no payment of ours, or is in doubt.
  problem text,
  explained_as text check (explained_as in ('fee', 'interest', 'own', 'payment', 'return-of')),
  returned_credit text,
  explanation text,
  explained_by text,
  explained_at timestamptz,
  received_at timestamptz not null default now(),
  check ((state = 'explained') = (explained_as is not null and explanation is not null and explained_by is not null and explained_at is not null)),
  check (state <> 'payment' or payment is not null or payment_file is not null)
);
create index bank_debits_entry on bank_debits (entry_reference) where entry_reference is not null;
create index bank_debits_replaced on bank_debits (replaced_from) where replaced_from is not null;
create index bank_debits_listed on bank_debits (listed_as) where listed_as is not null;
create index bank_debits_uetr on bank_debits (uetr) where uetr is not null;
create index bank_debits_payment on bank_debits (payment) where payment is not null;
create index bank_debits_facts on bank_debits (account, booked_on, amount);
create index bank_debits_unexplained on bank_debits (received_at, reference) where state = 'unexplained';
create unique index bank_debits_returned_credit on bank_debits (returned_credit) where returned_credit is not null;

create trigger audit_explain after update on bank_debits for each row when (old.state = 'unexplained' and new.state = 'explained')
  execute function record_audit('debit.explain', 'debit', 'reference', 'operator:explained_by', 'explained_as,payment,returned_credit,explanation,amount,currency');
