-- Transactions of the Safes that administer tokens: prepared in the console, signed by owners, executed by anybody who pays.

create table safe_transactions (
  id uuid primary key default uuidv7(),
  chain text not null,
  currency text not null,
  token text not null,
  safe text not null,
  safe_version text not null,
  nonce bigint not null check (nonce >= 0),
  -- The call: its receiver, the token or its timelock, and the calldata. It moves no coins and is no delegate call.
  call_to text not null,
  call_data text not null,
  -- By EIP-712: what the owners sign.
  hash text not null check (hash ~ '^0x[0-9a-f]{64}$'),
  -- The newest block when it was prepared: its execution is looked for from here on.
  block bigint not null,
  -- Why, for the owners who are to sign it.
  reason text,
  prepared_by text not null references operators,
  prepared_at timestamptz not null default now(),
  -- `scheduled` waits in a timelock until `ready_at`; `replaced`: another transaction used the nonce; `cancelled` in the timelock.
  state text not null default 'open' check (state in ('open', 'scheduled', 'executed', 'replaced', 'cancelled', 'withdrawn')),
  execution_hash text,
  execution_block bigint,
  ready_at timestamptz,
  ended_at timestamptz,
  constraint safe_transactions_ended check ((ended_at is null) = (state in ('open', 'scheduled'))),
  constraint safe_transactions_executed check (state not in ('scheduled', 'executed', 'cancelled') or execution_hash is not null)
);
comment on table safe_transactions is 'Transactions of Safes, from their preparation until the Safe has used the nonce.';
-- The same transaction is kept once; what was withdrawn can be prepared again.
create unique index safe_transactions_hash on safe_transactions (hash) where state <> 'withdrawn';
create index safe_transactions_open on safe_transactions (chain, safe, nonce) where state in ('open', 'scheduled');
create index safe_transactions_ended_at on safe_transactions (ended_at) where state = 'replaced';

create table safe_signatures (
  transaction uuid not null references safe_transactions,
  signer text not null check (signer ~ '^0x[0-9a-f]{40}$'),
  data text not null check (data ~ '^0x[0-9a-f]{130}$'),
  -- The operator in whose session it came.
  added_by text not null references operators,
  added_at timestamptz not null default now(),
  primary key (transaction, signer)
);
comment on table safe_signatures is 'Signatures of owners, each verified before it is kept.';
