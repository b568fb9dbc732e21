-- What the story of an order is told from, what makes a request with an idempotency key happen once, and order streams.

-- When a transaction was found in a block; empty for those that are in none.
alter table transactions add column mined_at timestamptz;

-- How a leg ended before it was made ready again: its transaction reverted or was lost, or it was refused and tried anew.
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

-- When the bank last said something that decides nothing.
alter table payments add column bank_status_at timestamptz;

-- Requests with an Idempotency-Key. `id` is the SHA-256 of who asks, what for and the key; `fingerprint` that of the request.
-- `makes` is the id of what the request creates: one that is run again after a crash meets what the first run made. A run has the
-- key until `claimed_until`; with the answer nobody runs it again.
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

-- The order events of a profile that come after a position. An event has no position when it is written, so that this costs nothing then.
create index events_of_orders on events (profile, position) where position is not null and type in ('order.created', 'order.updated');
