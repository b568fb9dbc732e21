-- Applications, users and their tokens. Only SHA-256 hashes of secrets and tokens are kept.
create table users (
  id uuid primary key,
  email text not null unique,
  name text not null,
  default_profile uuid,
  created_at timestamptz not null default now()
);

create table applications (
  id uuid primary key,
  kind text not null check (kind in ('authorization_code', 'whitelabel', 'private')),
  name text not null,
  secret_hash bytea,
  owner uuid not null references users,
  disabled_at timestamptz,
  created_at timestamptz not null default now()
);

create table profiles (
  id uuid primary key,
  kind text not null check (kind in ('personal', 'corporate')),
  name text not null,
  state text not null check (state in ('created', 'incomplete', 'pending', 'approved', 'rejected')),
  owner uuid references users,
  application uuid references applications,
  created_at timestamptz not null default now()
);
create index profiles_owner on profiles (owner);
create index profiles_application on profiles (application);
alter table users add foreign key (default_profile) references profiles;

create table access_tokens (
  hash bytea primary key,
  application uuid not null references applications,
  user_id uuid not null references users,
  family uuid not null,
  expires_at timestamptz not null
);
create index access_tokens_family on access_tokens (family);
create index access_tokens_expiry on access_tokens (expires_at);

create table refresh_tokens (
  hash bytea primary key,
  application uuid not null references applications,
  user_id uuid not null references users,
  family uuid not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index refresh_tokens_family on refresh_tokens (family);
create index refresh_tokens_expiry on refresh_tokens (expires_at);

-- An address belongs to one profile; it is linked chain by chain. Addresses are kept in lower case.
create table addresses (
  address text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  profile uuid not null references profiles
);
create index addresses_profile on addresses (profile);

create table address_links (
  address text not null references addresses,
  chain text not null,
  linked_by uuid not null references users,
  linked_at timestamptz not null default now(),
  primary key (address, chain)
);

create sequence iban_numbers;

create table ibans (
  id uuid primary key default uuidv7(),
  profile uuid not null unique references profiles,
  iban text unique,
  bic text,
  address text not null,
  chain text not null,
  state text not null default 'requested' check (state in ('requested', 'pending', 'approved', 'rejected', 'closed')),
  email_notifications boolean not null default true,
  created_at timestamptz not null default now(),
  check (iban is not null or state in ('requested', 'rejected')),
  foreign key (address, chain) references address_links
);
create index ibans_requested on ibans (created_at) where state in ('requested', 'pending');

-- Orders. Amounts are minor units: hundredths of the currency.
create table orders (
  id uuid primary key,
  kind text not null check (kind in ('issue', 'redeem')),
  profile uuid not null references profiles,
  address text not null,
  chain text not null,
  currency text not null check (currency in ('eur', 'usd', 'gbp', 'isk')),
  amount bigint not null check (amount > 0),
  counterpart jsonb not null,
  memo text not null,
  reference_number text,
  message text,
  signature text,
  state text not null default 'placed' check (state in ('placed', 'pending', 'processed', 'rejected')),
  placed_at timestamptz not null default now(),
  processed_at timestamptz,
  rejected_reason text,
  supporting_document uuid,
  tx_hashes text[] not null default '{}',
  correlation_id text,
  check ((state = 'processed') = (processed_at is not null)),
  check ((state = 'rejected') = (rejected_reason is not null))
);
create index orders_profile on orders (profile, placed_at desc, id desc);
create index orders_address on orders (address, placed_at desc, id desc);
create index orders_tx_hashes on orders using gin (tx_hashes);
create index orders_open on orders (placed_at) where state in ('placed', 'pending');

-- One row per transaction sent to a chain; its attempts are the fee replacements at one nonce.
create table transactions (
  id uuid primary key default uuidv7(),
  chain text not null,
  signer text not null,
  nonce bigint not null,
  currency text not null,
  kind text not null check (kind in ('issue', 'redeem')),
  gas_limit bigint not null,
  state text not null default 'sent' check (state in ('sent', 'mined', 'settled', 'reverted', 'lost')),
  hash text,
  block_number bigint,
  gas_used bigint,
  sent_at_block bigint not null,
  created_at timestamptz not null default now(),
  unique (chain, signer, nonce),
  check ((state in ('mined', 'settled', 'reverted')) = (hash is not null and block_number is not null))
);
create index transactions_open on transactions (chain, signer, nonce) where state in ('sent', 'mined');

create table transaction_attempts (
  hash text primary key,
  transaction uuid not null references transactions,
  raw text not null,
  max_fee_per_gas numeric(78) not null,
  max_priority_fee_per_gas numeric(78) not null,
  created_at timestamptz not null default now()
);
create index transaction_attempts_transaction on transaction_attempts (transaction);

-- A leg is the part of an order that moves money or tokens and must happen exactly once.
create table legs (
  id uuid primary key default uuidv7(),
  order_id uuid not null references orders,
  kind text not null check (kind in ('issue', 'redeem', 'payout', 'return')),
  position smallint not null,
  chain text,
  currency text not null,
  account text,
  amount bigint not null check (amount > 0),
  state text not null check (state in ('waiting', 'ready', 'sent', 'done', 'refused')),
  claimed_by text,
  token text,
  sequence bigint,
  transaction uuid references transactions,
  tx_hash text,
  block_number bigint,
  reason text,
  created_at timestamptz not null default now(),
  done_at timestamptz,
  unique (order_id, kind),
  unique (order_id, position),
  unique (chain, token, sequence),
  check (state <> 'sent' or kind not in ('issue', 'redeem') or transaction is not null),
  check (state <> 'done' or kind not in ('issue', 'redeem') or tx_hash is not null)
);
create index legs_ready on legs (chain, kind, currency, id) where state = 'ready';
create index legs_sent on legs (chain, order_id) where state = 'sent';
create index legs_transaction on legs (transaction);

-- The next sequence number of each token. The numbers have no gaps; the token contract issues once for each.
create table token_sequences (
  chain text not null,
  token text not null,
  next bigint not null default 0,
  primary key (chain, token)
);

-- Why a lane does not send, for the operator. The row is deleted when a later attempt succeeds.
create table parked_lanes (
  chain text not null,
  signer text not null,
  scope text not null,
  reason text not null,
  since timestamptz not null default now(),
  primary key (chain, signer, scope)
);

-- The instance of each chain that this ledger is used with, by its genesis block.
create table networks (
  chain text primary key,
  chain_id bigint not null,
  genesis_hash text not null,
  seen_at timestamptz not null default now()
);

-- The last observations of each running worker, by which a process without RPC access judges the state of the service.
create table heartbeats (
  component text not null,
  chain text not null default '',
  facts jsonb not null,
  seen_at timestamptz not null default now(),
  primary key (component, chain)
);

-- Money that arrived. `reference` is the key by which a credit of the bank becomes an order exactly once.
-- A bank may report an entry as a sum and again with its transactions: `entry_reference` links the two, `entry_amount` is
-- the amount of the entry as reported, `is_sum` marks the sum. A sum whose transactions are known is `replaced` by them.
-- `rail_reason` is the code of the reason for which the reader of the statement found that the credit cannot become an order.
create table credits (
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
  state text not null check (state in ('matched', 'unmatched', 'returned', 'replaced')),
  order_id uuid unique references orders,
  reason text,
  rail_reason text,
  entry_reference text,
  entry_amount numeric(30),
  is_sum boolean not null default false,
  facts jsonb,
  received_at timestamptz not null default now(),
  returned_at timestamptz,
  check ((state = 'matched') = (order_id is not null and reason is null)),
  check (state <> 'matched' or (iban is not null and currency is not null and amount is not null))
);
create index credits_unmatched on credits (received_at) where state = 'unmatched';
create index credits_entry on credits (entry_reference);

-- Imported bank files, by the SHA-256 of their content. A file is imported whole or not at all.
create table bank_files (
  hash bytea primary key,
  name text not null,
  message text not null,
  report jsonb not null,
  imported_at timestamptz not null default now()
);

-- Events for subscribers, each written in the transaction of the change. `id` is the webhook-id.
create table events (
  id uuid primary key default uuidv7(),
  type text not null,
  profile uuid not null references profiles,
  subject uuid not null,
  data jsonb not null,
  correlation_id text,
  created_at timestamptz not null default now()
);
create index events_subject on events (subject, id);
