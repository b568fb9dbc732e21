-- Sources of an order's history, idempotency keys, and order streams.

-- When a transaction was found in a block; null for one that is in none.
alter table transactions add column mined_at timestamptz;

-- How earlier attempts of a leg ended: its transaction reverted or was lost, or the token contract refused it.
create table leg_failures (
  id uuid primary key default uuidv7(),
  leg uuid not null references legs,
  outcome text not null check (outcome in ('reverted', 'lost', 'refused')),
  transaction uuid references transactions,
  tx_hash text,
  block_number bigint,
  reason text,
  at timestamptz not null default now()
);
create index leg_failures_leg on leg_failures (leg);

-- When the bank last reported a status that did not decide the payment.
alter table payments add column bank_status_at timestamptz;

-- Requests with an Idempotency-Key. `id` is the SHA-256 of caller, endpoint and key, `fingerprint` that of the request. `makes` is the id of
-- what the request creates: a second run, after a crash, finds what the first one created. A run holds the key until `claimed_until`. A
-- request whose answer is stored is not run again.
create table idempotency_keys (
  id bytea primary key,
  fingerprint bytea not null,
  makes uuid not null default uuidv7(),
  claimed_until timestamptz not null,
  status smallint,
  content_type text,
  body text,
  created_at timestamptz not null default now(),
  check (status is not null or body is null)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Finds the order events of a profile after a position. An event is written without a position, so inserting one does not touch this index.
create index events_of_orders on events (profile, position) where position is not null and type in ('order.created', 'order.updated');
