-- Tokens that were in circulation before this ledger issued them, such as those of a live network on its fork. The reserve check counts their
-- supply as an opening: it is no money that this ledger received.
create table token_openings (
  chain text not null,
  token text not null,
  currency text not null,
  -- The block behind which the books begin.
  block bigint not null,
  -- Minor units.
  supply bigint not null check (supply >= 0),
  opened_at timestamptz not null default now(),
  primary key (chain, token)
);
