-- What makes a ledger that was restored from an earlier back-up stop, and learn what it has lost (docs/restore.md).

create table unrecorded_outcomes (
  id uuid primary key default uuidv7(),
  chain text not null,
  kind text not null check (kind in ('issue', 'redeem')),
  token text not null,
  currency text not null,
  -- As the transaction named it: whoever holds an operator's key can name any.
  order_id uuid not null,
  account text not null,
  -- Minor units; a forged one is as large as 2^64 - 1.
  amount numeric(20) not null,
  -- Of an issue; the contract counts to 2^64.
  sequence numeric(20),
  -- Of a redemption: EIP-191 hash of the message, and what the calldata says.
  digest text,
  message text,
  signature text,
  -- The reason when it was refused; null when it was carried out.
  refused text,
  tx_hash text not null,
  block_number bigint not null,
  -- `applied`: a leg of this ledger has ended by it. `set_aside`: an operator says why it is no order of this ledger.
  state text not null default 'open' check (state in ('open', 'applied', 'set_aside')),
  reason text,
  decided_by text,
  found_at timestamptz not null default now(),
  decided_at timestamptz,
  check ((kind = 'issue') = (sequence is not null)),
  check ((kind = 'redeem') = (digest is not null)),
  check ((state = 'open') = (decided_at is null)),
  check ((state = 'set_aside') = (reason is not null))
);
comment on table unrecorded_outcomes is
  'Outcomes in the log of a token contract, of transactions that this ledger has not recorded: it was restored from an earlier back-up, or somebody else
  has an operator''s key. While one of an issue is `open`, nothing is issued of its currency on its chain.';
create unique index unrecorded_outcomes_sequence on unrecorded_outcomes (chain, token, sequence) where kind = 'issue';
create unique index unrecorded_outcomes_digest on unrecorded_outcomes (account, digest, chain, token) where kind = 'redeem';
create index unrecorded_outcomes_open on unrecorded_outcomes (chain, currency, kind) where state = 'open';
create index unrecorded_outcomes_order on unrecorded_outcomes (order_id) where state <> 'applied';

create table outcome_audits (
  chain text primary key,
  block bigint not null,
  -- When a head of the chain was seen up to which every outcome is known to this ledger: a recovery ends only when that is after it began.
  compared_at timestamptz
);
comment on table outcome_audits is
  'The block of each chain up to which every outcome is of a transaction that this ledger has recorded, or stands in `unrecorded_outcomes`.';

create table recoveries (
  id uuid primary key default uuidv7(),
  began_at timestamptz not null default now(),
  -- A network, or the operator.
  began_by text not null,
  ended_at timestamptz,
  ended_by text,
  check ((ended_at is null) = (ended_by is null))
);
comment on table recoveries is 'While a recovery is open, no payment leaves: it may have been made before the ledger was restored. An operator ends it.';
create unique index recoveries_open on recoveries ((true)) where ended_at is null;
