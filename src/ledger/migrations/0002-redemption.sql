-- Redemptions: signatures that are checked on a chain, dependent orders, payments to the bank, and uploaded files.

-- Signatures of contract accounts, which are checked on their chain. `draft` is the order or the link that a valid one creates.
create table signature_requests (
  id uuid primary key default uuidv7(),
  kind text not null check (kind in ('order', 'linkAddress')),
  profile uuid not null references profiles,
  chain text not null,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  digest text not null,
  -- `0x` when the account signs on chain
  signature text not null,
  draft jsonb not null,
  -- the order, once it is placed
  order_id uuid unique references orders,
  state text not null default 'pending' check (state in ('pending', 'valid', 'invalid', 'expired')),
  reason text,
  correlation_id text,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  check ((state = 'pending') = (decided_at is null))
);
create index signature_requests_pending on signature_requests (chain, id) where state = 'pending';
create index signature_requests_profile on signature_requests (profile, id) where state = 'pending';

-- One signed message authorises one order of an address.
alter table orders add column digest text;
create unique index orders_message on orders (address, digest) where kind = 'redeem';
create unique index signature_requests_message on signature_requests (address, digest) where kind = 'order' and state = 'pending' and order_id is null;

-- The issue order that carries out a redemption to another chain.
alter table orders add column source_order uuid unique references orders;

-- SHA-256 of the request that placed an order under an id that the client chose. The same request again is a retry, another one a conflict.
alter table orders add column request_hash bytea;

create table files (
  id uuid primary key,
  application uuid not null references applications,
  uploaded_by uuid not null references users,
  name text not null check (length(name) <= 100),
  type text not null,
  size integer not null,
  hash text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table orders add foreign key (supporting_document) references files;

-- Files of payment orders for the bank, recorded with their payments before they are written. The id without dashes is the
-- message id. The content is kept, so that a file can be written again.
create table payment_files (
  id uuid primary key default uuidv7(),
  name text not null unique,
  content text not null,
  written_at timestamptz,
  created_at timestamptz not null default now()
);
create index payment_files_unwritten on payment_files (created_at) where written_at is null;

-- Money that leaves, one row per payment. The id without dashes is the EndToEndId, by which the bank carries a payment out exactly once.
create table payments (
  id uuid primary key default uuidv7(),
  kind text not null check (kind in ('payout', 'return')),
  leg uuid unique references legs,
  -- the credit that a return sends back; a credit that is replaced by a more detailed report gets another reference
  credit text references credits on update cascade,
  currency text not null,
  amount bigint not null check (amount > 0),
  creditor_name text not null,
  creditor_iban text not null,
  creditor_country text,
  remittance text,
  structured_reference text,
  state text not null default 'ready' check (state in ('ready', 'sent', 'accepted', 'refused')),
  file uuid references payment_files,
  -- the last status of the bank that did not decide the payment, such as ACSP
  bank_status text,
  reason text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  decided_at timestamptz,
  check (leg is not null or credit is not null),
  check ((state = 'refused') = (reason is not null))
);
create index payments_open on payments (state, id) where state in ('ready', 'sent');
create index payments_file on payments (file);
-- A credit is returned once; only after the bank refused to may it be tried again.
create unique index payments_credit on payments (credit) where state <> 'refused';
-- Open redemptions of an address: they reserve a part of its balance.
create index legs_redeeming on legs (account, chain) where kind = 'redeem' and state in ('waiting', 'ready', 'sent');
-- For a leg that is retried after a refusal: outcomes up to this block are those of the earlier attempt.
alter table legs add column after_block bigint;
-- Finds the newest leg that ended on a chain. While Ponder's tables lack its outcome, they are incomplete.
create index legs_newest on legs (chain, block_number desc) where state = 'done' and block_number is not null;
create index legs_bank on legs (id) where state = 'ready' and kind in ('payout', 'return');

-- A currency whose reserve equation does not hold: nothing more of it is issued until an operator acknowledges that.
create table reserve_breaches (
  id uuid primary key default uuidv7(),
  currency text not null,
  difference bigint not null,
  found_at timestamptz not null default now(),
  acknowledged_at timestamptz,
  acknowledged_by text,
  check ((acknowledged_at is null) = (acknowledged_by is null))
);
create unique index reserve_breaches_open on reserve_breaches (currency) where acknowledged_at is null;
