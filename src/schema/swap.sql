-- The swap of a token for another one.

create table swap_quotes (
  id uuid primary key default gen_random_uuid(),
  nonce bigint generated always as identity unique,
  chain text not null,
  settlement text not null,
  maker text not null,
  profile uuid not null references profiles,
  taker text not null,
  taker_token text not null,
  maker_token text not null,
  -- Token units, which exceed bigint.
  taker_amount numeric(78) not null check (taker_amount > 0),
  maker_amount numeric(78) not null check (maker_amount > 0),
  expiry timestamptz not null,
  correlation_id text,
  created_at timestamptz not null default now()
);
comment on table swap_quotes is
  'Quotes to which a maker has committed itself. Each has a nonce of its own, and the settlement contract carries out one quote per nonce.';
create index swap_quotes_open on swap_quotes (maker, chain, maker_token, expiry);
