-- What the bank reports and is told to do.

create table bank_files (
  hash bytea primary key,
  name text not null,
  message text not null,
  report jsonb not null,
  imported_at timestamptz not null default now()
);
comment on table bank_files is 'Imported bank files, by the SHA-256 of their content. A file is imported whole or not at all.';
-- Bank files as an operator lists them, the latest first.
create index bank_files_imported on bank_files (imported_at, hash);

create table credits (
  -- the key by which a credit of the bank becomes an order exactly once; a credit that is replaced gets another one
  reference text primary key,
  iban text,
  currency text,
  amount bigint check (amount > 0),
  payer jsonb not null,
  remittance text,
  structured_reference text,
  end_to_end_id text,
  booked_on date,
  source text not null,
  -- `replaced` by the transactions it consists of; `settled`: it became no order and is no return; `repeated`: a second report of the credit in `repeats`;
  -- `reversed`: the bank took it back before it became tokens or was returned
  state text not null check (state in ('matched', 'unmatched', 'returned', 'replaced', 'settled', 'repeated', 'reversed')),
  order_id uuid unique references orders,
  reason text,
  -- the code of the reason for which the reader of the statement found that the credit cannot become an order
  rail_reason text,
  -- A bank may report an entry as a sum and again with its transactions: this links the two, and `entry_amount` is the amount of the entry as
  -- reported. A sum whose transactions are known is `replaced` by them.
  entry_reference text,
  entry_amount numeric(30),
  facts jsonb,
  received_at timestamptz not null default now(),
  returned_at timestamptz,
  -- The master account on which the bank has booked it, or `sandbox`. References begin with the account of the statement.
  bank_account text not null,
  -- Only notifications have reported it: a statement should list it.
  is_awaited boolean not null default false,
  -- The reference under which a statement lists it, or a sum that it is a part of, as an operator says.
  stated_as text,
  -- A credit that an operator has to return by hand is owed until a debit of the bank is known as its return.
  awaits_debit boolean not null default false,
  -- What a `settled` one was: `own` money of the operator, `difference` the counterpart of an unexplained debit, `return` a return of ours that came back,
  -- `claim` money that makes a claim good, `debit` money that left after all.
  settled_as text check (settled_as in ('own', 'difference', 'return', 'claim', 'debit')),
  settled_at timestamptz,
  -- what the operator adds to a payment that came back, such as charges that were deducted from it; negative for what remains of it
  added_by_operator bigint,
  -- the id of the payment that all banks on the way repeat (ISO 20022)
  uetr uuid,
  -- the kind of message that reported the credit
  message text,
  -- Why an operator matched it although its line had been taken for something else.
  matched_because text check (length(matched_because) <= 500),
  -- The credit of which the bank has booked this more than was issued, before charges (docs/bank-files.md, Charges).
  rest_of text references credits on update cascade,
  -- The credit of which this is a second report, if it is `repeated`: its money counts there. An unmatched credit may be one.
  repeats text references credits on update cascade deferrable initially deferred,
  check ((state = 'matched') = (order_id is not null and reason is null)),
  -- a payment of ours that came back is credited to the account of the statement, which may have no IBAN
  constraint credits_matched_facts check (state <> 'matched'
    or (currency is not null and amount is not null and (iban is not null or rail_reason in ('payment_returned', 'debit_reversed')))),
  constraint credits_settled check ((state = 'settled') = (settled_as is not null and settled_at is not null)),
  constraint credits_repeats_check check (state <> 'repeated' or repeats is not null)
);
comment on table credits is 'Money that arrived. The reference is the key by which a credit of the bank becomes an order exactly once.';
create index credits_unmatched on credits (received_at) where state = 'unmatched';
create index credits_entry on credits (entry_reference);
create index credits_awaiting_debit on credits (reference) where awaits_debit;
create index credits_awaited on credits (bank_account, booked_on) where is_awaited;
create index credits_stated_as on credits (stated_as) where stated_as is not null;
create index credits_uetr on credits (uetr) where uetr is not null;
create index credits_rest_of on credits (rest_of) where rest_of is not null;
create index credits_repeats on credits (repeats) where repeats is not null;
-- Finds credits by their EndToEndId, for those that a debit may take back. Hashes, because the bank's texts have any length.
create index credits_end_to_end on credits (
  hashtextextended(end_to_end_id, 0), amount, booked_on
) where end_to_end_id is not null;
-- Returned credits, the latest first: an operator searches among those of the last time.
create index credits_returned on credits (received_at) where state = 'returned';
select vacuum_early('credits');

create table payment_files (
  -- without dashes, the message id
  id uuid primary key default uuidv7(),
  name text not null unique,
  content text not null,
  written_at timestamptz,
  created_at timestamptz not null default now()
);
comment on table payment_files is
  'Files for the bank: payment orders, recorded with their payments, and answers to recalls. They are recorded before they are written, and the content is kept, so that a file can be written again.';
create index payment_files_unwritten on payment_files (created_at) where written_at is null;

create table payments (
  -- without dashes, the EndToEndId, by which the bank carries a payment out exactly once
  id uuid primary key default uuidv7(),
  kind text not null check (kind in ('payout', 'return')),
  leg uuid unique references leg_history,
  -- the credit that a return sends back; a credit that is replaced by a more detailed report gets another reference
  credit text references credits on update cascade,
  currency text not null,
  amount bigint not null check (amount > 0),
  creditor_name text not null,
  creditor_iban text not null,
  creditor_country text,
  creditor_address jsonb,
  remittance text,
  structured_reference text,
  -- `returned`: it was carried out, and its money came back. `reason` then says why.
  state text not null default 'ready' check (state in ('ready', 'sent', 'accepted', 'refused', 'returned')),
  file uuid references payment_files,
  -- the last status of the bank that did not decide the payment, such as ACSP
  bank_status text,
  reason text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  decided_at timestamptz,
  -- when the bank last reported a status that did not decide the payment
  bank_status_at timestamptz,
  -- The account on which the bank has booked it, and its booking day. Until then an accepted payment is under way.
  bank_account text,
  booked_on date,
  -- the credit by which the money came back
  came_back_by text references credits on update cascade,
  returned_at timestamptz,
  check (leg is not null or credit is not null),
  constraint payments_check2 check ((bank_account is null) = (booked_on is null)),
  constraint payments_reason check ((state in ('refused', 'returned')) = (reason is not null)),
  -- the debit may be reported after the credit
  constraint payments_booked check (booked_on is null or state in ('accepted', 'returned')),
  constraint payments_came_back check ((state = 'returned') = (came_back_by is not null)),
  constraint payments_returned_at check ((state = 'returned') = (returned_at is not null))
);
comment on table payments is 'Money that leaves.';
create index payments_open on payments (state, id) where state in ('ready', 'sent');
-- Rejected or cancelled in a way that does not say for certain that the payment will not be paid.
create index payments_rejected on payments (bank_status_at, id) where state = 'sent' and bank_status in ('RJCT', 'CANC');
-- Rejected or cancelled, perhaps after the bank had said that it was carried out.
create index payments_contradicted on payments (bank_status_at, id) where state = 'accepted' and bank_status in ('RJCT', 'CANC');
create index payments_unbooked on payments (id) where state in ('accepted', 'returned') and booked_on is null;
-- By what the trace of an order finds its payments and their debits.
create index payments_of_credit on payments (credit) where credit is not null;
create index payments_file on payments (file) where file is not null;
create unique index payments_came_back_by on payments (came_back_by) where came_back_by is not null;
-- A credit is returned once; only after the bank refused to, or after the money came back, may it be tried again.
create unique index payments_credit on payments (credit) where credit is not null and state not in ('refused', 'returned');
-- Payments as an operator lists them, the latest first; those that went wrong are few among very many. Open ones have `payments_open`.
create index payments_created on payments (created_at, id);
create index payments_failed on payments (state, created_at, id) where state in ('refused', 'returned');
select vacuum_early('payments');

create table recalls (
  -- Made of what the request says, so that it is one recall however often it comes; without dashes, the id of the answer.
  id uuid primary key,
  -- What the bank says, by which the credit is found.
  amount bigint,
  currency text,
  end_to_end_id text,
  uetr uuid,
  numbers text[] not null,
  facts jsonb not null,
  -- Name of the file.
  source text not null,
  received_at timestamptz not null default now(),
  answer text check (answer in ('accepted', 'refused')),
  -- why it is refused
  reason text,
  -- the credit whose money the bank may take back
  credit text references credits on update cascade,
  answered_by text,
  answered_at timestamptz,
  -- Why an operator says that the bank does not take the money of an accepted recall.
  undone_because text check (length(undone_because) <= 500),
  undone_by text,
  check ((undone_because is null) = (undone_by is null)),
  check ((answer is null) = (answered_at is null) and (answer is null) = (answered_by is null)),
  check ((answer is not distinct from 'accepted') = (credit is not null)),
  check ((answer is not distinct from 'refused') = (reason is not null))
);
comment on table recalls is 'Requests of banks to give the money of a payment back that they sent (camt.056), and what an operator answered.';
create index recalls_open on recalls (received_at, id) where answer is null;
create unique index recalls_accepted on recalls (credit) where credit is not null and undone_by is null;

create table unknown_payment_statuses (
  payment uuid primary key,
  verdict text not null check (verdict in ('executed', 'refused', 'open')),
  -- The bank's status code, and why it refused the payment.
  code text not null,
  reason text not null,
  reported_at timestamptz not null default now(),
  -- Why an operator says that it is no payment of this ledger.
  set_aside text,
  set_aside_by text,
  check ((set_aside is null) = (set_aside_by is null))
);
comment on table unknown_payment_statuses is
  'Statuses that a bank reported of payments that this ledger has lost: they have ids of ours, and a payment that is made again with such an id takes its
  status (docs/restore.md).';

create table bank_debits (
  -- As credits.reference: the same money has the same reference in whichever file it is reported.
  reference text primary key,
  entry_reference text,
  -- The reference that it had before its transactions replaced it.
  replaced_from text,
  account text not null,
  currency text not null,
  -- Null where it cannot be read, until an operator says what it was.
  amount bigint check (amount > 0),
  booked_on date not null,
  payee jsonb not null default '{}',
  remittance text,
  end_to_end_id text,
  uetr text,
  -- Name of the file.
  source text not null,
  -- `reversal`: the debit takes a credit back
  state text not null check (state in ('payment', 'reversal', 'unexplained', 'explained', 'replaced')),
  payment uuid references payments,
  -- Further payments that it books, as an operator says.
  more_payments uuid[],
  -- A payment file that it names, and books in one sum where the state is `payment`.
  payment_file uuid references payment_files,
  -- Why it is no payment of ours, or is in doubt; and the code where its reports leave open what it is (docs/bank-files.md).
  problem text,
  hold text check (hold in ('suspected_repeat', 'reference_conflict', 'details_differ')),
  explained_as text check (explained_as in ('fee', 'interest', 'own', 'payment', 'return-of', 'reversal-of', 'undone-by', 'repeat-of')),
  returned_credit text,
  explanation text,
  explained_by text,
  explained_at timestamptz,
  received_at timestamptz not null default now(),
  -- says in words that it takes a credit back, while it is not known which
  takes_back text,
  -- The credit by which the bank undid an unexplained debit. So the debits that are unexplained are at all times the balance of `assets:differences`.
  undone_by text unique references credits on update cascade,
  -- How often an operator undid that it took a credit back; which one the last time, why, and who. No import takes a credit back by it any more.
  reversals_undone integer not null default 0,
  last_undone_credit text,
  last_undo_reason text,
  last_undone_by text,
  -- The credit of which the bank has kept this as charges.
  kept_of text references credits on update cascade,
  -- Of a further report of the same money, which left once: references of the debits that count.
  repeats text[],
  check ((state = 'explained') = (explained_as is not null and explanation is not null and explained_by is not null and explained_at is not null)),
  check (state <> 'payment' or payment is not null or payment_file is not null),
  constraint bank_debits_amount check (amount is not null or state in ('unexplained', 'replaced')),
  constraint bank_debits_undone check (undone_by is null or explained_as = 'undone-by'),
  constraint bank_debits_reversals_undone check (
    (reversals_undone = 0) = (last_undone_credit is null) and (reversals_undone = 0) = (last_undo_reason is null) and (reversals_undone = 0) = (last_undone_by is null)),
  constraint bank_debits_repeats check ((repeats is not null) = (explained_as is not distinct from 'repeat-of'))
);
comment on table bank_debits is
  'Every debit that a bank books on an account of ours, as credits are kept: a payment of ours, or money that left for another reason.';
create index bank_debits_entry on bank_debits (entry_reference) where entry_reference is not null;
create index bank_debits_replaced on bank_debits (replaced_from) where replaced_from is not null;
create index bank_debits_uetr on bank_debits (uetr) where uetr is not null;
create index bank_debits_payment on bank_debits (payment) where payment is not null;
create index bank_debits_more_payments on bank_debits using gin (more_payments) where more_payments is not null;
create index bank_debits_unexplained on bank_debits (received_at, reference) where state = 'unexplained';
create unique index bank_debits_returned_credit on bank_debits (returned_credit) where returned_credit is not null;
create index bank_debits_payment_file on bank_debits (payment_file) where payment_file is not null;
create index bank_debits_taking_back on bank_debits (account, currency, amount, received_at) where state = 'unexplained' and takes_back is not null;
create index bank_debits_not_of_payments on bank_debits (end_to_end_id) where state in ('unexplained', 'explained') and end_to_end_id is not null;
create index bank_debits_kept_of on bank_debits (kept_of) where kept_of is not null;
create index bank_debits_repeated on bank_debits ((repeats[1])) where repeats is not null;

create table bank_documents (
  id uuid primary key default uuidv7(),
  -- Its account as the bank writes it, and the master account that it is.
  written_account text not null,
  account text not null,
  -- `statement` of a master account; else the kind of message, such as `camt.054`, or `operator` for payments of ours that one says came back in a sum
  kind text not null,
  -- The bank's id of it, which its pages share, and when the bank made it.
  name text not null,
  created text,
  -- Null for what is not in pages.
  page integer,
  is_last_page boolean not null,
  -- Of a statement: the first day, where it says it, and the last day of which it lists what is booked.
  from_on date,
  closed_on date,
  -- Its booked balances in minor units, by currency.
  balances jsonb not null,
  -- Its rows in bank_statements.
  statements uuid[] not null,
  imported_at timestamptz not null default now()
);
comment on table bank_documents is 'Statements, notifications and intraday reports of the bank, and their pages, as they stood in a file.';

create index bank_documents_closed on bank_documents (account, closed_on) where closed_on is not null;

create table bank_reports (
  id bigint generated always as identity primary key,
  -- Of bank_documents. The check of a foreign key would cost a tenth of keeping a report, which is written with its document.
  document uuid not null,
  -- The number of the entry in its file, from 1, and the line at which it begins.
  entry integer not null,
  line integer not null,
  -- The master account.
  account text not null,
  currency text,
  -- Less than zero for money that left.
  amount bigint,
  booked_on date,
  -- The bank's numbers of the transaction and of its entry.
  number text,
  entry_number text,
  -- `NtryRef`
  entry_name text,
  -- What the entry comes to, signed as the amount, and how many transactions it has.
  entry_total numeric(30),
  entry_count integer,
  -- What it says that banks have kept, or will, of the money and of its entry: another message may give either before or after that.
  charges bigint,
  entry_charges bigint,
  -- It is an entry as a whole, reported without its transactions.
  is_sum boolean not null,
  uetr uuid,
  reference text not null,
  entry_reference text,
  -- All that the line says: a credit or debit that is made of it has these facts.
  facts jsonb not null,
  -- It is money that left, also where its amount cannot be read.
  is_debit boolean not null generated always as (coalesce(amount < 0, facts ? 'payee')) stored
);
comment on table bank_reports is
  'Money that arrived or left, as each document of the bank reports it, one row for each line: never changed (docs/bank-files.md).';
-- What differs most comes first: an index that begins with the account compares it with each row.
create index bank_reports_money on bank_reports (amount, account, currency, booked_on);
create index bank_reports_number on bank_reports (number, account, booked_on) where number is not null;
create index bank_reports_entry on bank_reports (entry_number, account, booked_on) where entry_number is not null;
create index bank_reports_total on bank_reports (account, entry_total, currency, booked_on) where entry_count <> 1;
create index bank_reports_before_charges on bank_reports (account, (amount + charges), currency, booked_on) where charges is not null;
create index bank_reports_after_charges on bank_reports (account, (amount - charges), currency, booked_on) where charges is not null;
create index bank_reports_total_before_charges on bank_reports (account, (entry_total + entry_charges), currency, booked_on)
  where entry_charges is not null and entry_count <> 1;
create index bank_reports_total_after_charges on bank_reports (account, (entry_total - entry_charges), currency, booked_on)
  where entry_charges is not null and entry_count <> 1;
create index bank_reports_uetr on bank_reports (uetr) where uetr is not null;
create index bank_reports_document on bank_reports (document, coalesce(amount, 0), coalesce(currency, ''));
create index bank_reports_document_entry on bank_reports (document, entry) where entry_count <> 1;
create index bank_reports_reference on bank_reports (reference);
create index bank_reports_entry_reference on bank_reports (entry_reference) where entry_reference <> reference;

create table report_money (
  -- Of bank_reports, whose rows are never removed: no foreign key, as for their documents.
  report bigint primary key,
  -- Of credits, whose references never change. Empty for a sum that its transactions stand for.
  credit text,
  debit text references bank_debits on update cascade,
  -- The credit or debit was made of this line.
  is_first boolean not null,
  -- An operator has said that it is this money.
  is_pinned boolean not null default false
);
comment on table report_money is 'The credit or debit whose money a line of the bank is, as it was decided last.';
create index report_money_credit on report_money (credit) where credit is not null;
create index report_money_debit on report_money (debit) where debit is not null;
select vacuum_early('report_money');

create table reversals (
  -- the debit's reference; behind it `#credit-1`, `#credit-2` where the debit takes several credits back. The source of its entries in the book
  reference text primary key,
  debit text not null references bank_debits on update cascade,
  credit text not null references credits on update cascade,
  amount bigint not null check (amount > 0),
  -- it takes back less than the credit
  is_part boolean not null default false,
  -- the entry whose transactions replace the credit or reduce it, or the credit that it repeats
  counts_with text
);
comment on table reversals is 'Credits that a debit takes back: several as a whole, or a part of one.';
create unique index reversals_whole on reversals (credit) where not is_part;
create index reversals_credit on reversals (credit);
create index reversals_debit on reversals (debit);
create index reversals_counts_with on reversals (counts_with) where counts_with is not null;

create table claims (
  -- the reversal by which the bank took the credit back
  reversal text primary key references reversals,
  credit text not null references credits on update cascade,
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
comment on table claims is
  'What the operator has lost unless somebody pays it: the bank took a credit back that was issued or returned already (`open`), or is about to be
  (`pending`, until that is known).';
create index claims_waiting on claims (created_at, reversal) where state in ('pending', 'open');
-- Whether any claim is undecided, before it is looked for leg by leg.
create index claims_pending on claims (credit) where state = 'pending';
create index claims_credit on claims (credit);

-- docs/book.md, The bank's balance.
create table bank_statements (
  id uuid primary key default uuidv7(),
  account text not null,
  currency text not null,
  -- the bank's id of the statement; empty when it gives none. Its pages share it.
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
  -- The first of its pages that has not come.
  missing_page integer,
  -- Why a statement, or its page, seems to be missing.
  gap text,
  gap_accepted_at timestamptz,
  gap_accepted_by text,
  gap_reason text,
  -- SHA-256 of the file that reported it last; null within its import.
  file bytea,
  imported_at timestamptz not null default now()
);
comment on table bank_statements is 'Statements of the bank: their balances, and what seems to be missing before them.';
create index bank_statements_order on bank_statements (account, currency, closed_on, coalesce(sequence, 0), id);
create index bank_statements_number on bank_statements (account, currency, number);
create index bank_statements_importing on bank_statements (id) where file is null;
create index bank_statements_opened on bank_statements (account, currency) where opened <> 0;
create index bank_statements_gaps on bank_statements (imported_at) where gap is not null and gap_accepted_at is null;

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
  -- Whether it was booked before the first statement, whose opening balance holds it.
  in_opening boolean not null default false,
  primary key (entry, account)
);
comment on table bank_bookings is
  'The movements of the book on an account of the bank. The statement that lists each is written besides, and cannot be made again.
  Derived from: postings, entries, by a trigger. Checked by: test/schema/derived-tables.db.test.ts.';
create index bank_bookings_day on bank_bookings (account, currency, booked_on);
create index bank_bookings_source on bank_bookings (source);
create index bank_bookings_unlisted_day on bank_bookings (account, currency, booked_on) where statement is null;

-- What undoes a movement is listed where the movement is. What is booked while a statement is applied is listed by it: `mintrail.statements` has its ids,
-- one for each currency. The simulated bank has no statements.
create function note_bank_bookings() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  with listing as materialized (
    select id, 'assets:bank:' || account as account, currency from bank_statements
    where id = any(string_to_array(nullif(current_setting('mintrail.statements', true), ''), ',')::uuid[])
  )
  insert into bank_bookings (entry, account, currency, amount, booked_on, source, statement)
  select p.entry, substr(p.account, length('assets:bank:') + 1), p.currency, sum(p.amount), p.booked_on, e.reference, coalesce(undone.statement, s.id)
  from new_postings p cross join lateral (
    select kind, case when source like '%#%' then regexp_replace(source, '(#again-\d+|#left-\d+|#replaced-\d+)+$', '') else source end as reference
    from entries where id = p.entry limit 1
  ) e
  left join listing s on s.account = p.account and s.currency = p.currency
  left join lateral (
    select b.statement from bank_bookings b
    where e.kind in ('credit-repeated', 'credit-replaced', 'debit-replaced') and b.statement is not null
      and b.source = e.reference and 'assets:bank:' || b.account = p.account
    limit 1
  ) undone on true
  where p.account like 'assets:bank:%' and p.account <> 'assets:bank:sandbox'
  group by p.entry, p.account, p.currency, p.booked_on, e.reference, s.id, undone.statement;
  return null;
end $$;

create trigger note_bank_bookings after insert on postings referencing new table as new_postings
  for each statement execute function note_bank_bookings();
