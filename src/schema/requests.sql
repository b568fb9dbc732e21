-- What the API remembers of requests.

create table idempotency_keys (
  -- SHA-256 of caller, endpoint and key
  id bytea primary key,
  -- SHA-256 of the request
  fingerprint bytea not null,
  -- The id of what the request creates: a second run, after a crash, finds what the first one created.
  makes uuid not null default gen_random_uuid(),
  claimed_until timestamptz not null,
  status smallint,
  content_type text,
  body text,
  created_at timestamptz not null default now(),
  check (status is not null or body is null)
);
comment on table idempotency_keys is
  'Requests with an Idempotency-Key. A run holds the key until its claim ends. A request whose answer is stored is not run again.';
create index idempotency_keys_age on idempotency_keys (created_at);

create unlogged table rate_limits (
  key text primary key,
  points integer not null,
  -- Milliseconds; not bigint, which the ledger's connections give as BigInt.
  expire double precision
);
comment on table rate_limits is 'Counts of requests, by key, for all copies of the API. A crash loses at most a minute of counting, so the table is unlogged.';
create index rate_limits_expire on rate_limits (expire);
