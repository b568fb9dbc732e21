-- Legs of orders, the transactions that carry them to a chain, and what is known of the networks.

create table transactions (
  id uuid primary key default uuidv7(),
  chain text not null,
  signer text not null,
  nonce bigint not null,
  currency text,
  -- `cancel`: a transfer of nothing to the signer itself. It carries no legs. It uses up a nonce that would hold up all later ones.
  kind text not null check (kind in ('issue', 'redeem', 'cancel')),
  gas_limit bigint not null,
  state text not null default 'sent' check (state in ('sent', 'mined', 'settled', 'reverted', 'lost')),
  hash text,
  block_number bigint,
  gas_used bigint,
  sent_at_block bigint not null,
  created_at timestamptz not null default now(),
  -- When a transaction was found in a block; null for one that is in none.
  mined_at timestamptz,
  block_hash text,
  -- `sent_at_block` begins again with every replacement; this one does not. Null is the same block.
  first_sent_at_block bigint,
  -- How often in a row, and since which block, every node that answered refused its newest attempt for good.
  refusals smallint not null default 0,
  refused_since_block bigint,
  check ((state in ('mined', 'settled', 'reverted')) = (hash is not null and block_number is not null)),
  check ((kind = 'cancel') = (currency is null))
);
comment on table transactions is 'Transactions sent to a chain. One has several attempts at the same nonce, each with a higher fee.';
create index transactions_open on transactions (chain, signer, nonce) where state in ('sent', 'mined');
-- A nonce is free again when its transaction was lost, or reverted in a block that a reorganisation took away.
create unique index transactions_live_nonce on transactions (chain, signer, nonce) where state in ('sent', 'mined', 'settled');
create index transactions_nonce on transactions (chain, signer, nonce);
-- The transactions of a signer that are in no block: what its gas money must cover.
create index transactions_unmined on transactions (chain, signer) where state = 'sent';
select vacuum_early('transactions');

create table transaction_attempts (
  hash text primary key,
  transaction uuid not null references transactions,
  -- Cleared some time after the transaction ended: nobody sends it again then.
  raw text,
  max_fee_per_gas numeric(78) not null,
  max_priority_fee_per_gas numeric(78) not null,
  created_at timestamptz not null default now(),
  -- The database's clock may step back, so it does not order the attempts.
  position smallint not null
);
comment on table transaction_attempts is 'What was broadcast for a transaction: the fee replacements at its nonce.';
create unique index transaction_attempts_position on transaction_attempts (transaction, position);
create index transaction_attempts_with_bytes on transaction_attempts (created_at) where raw is not null;

create table leg_history (
  id uuid primary key default uuidv7(),
  order_id uuid not null references orders,
  kind text not null check (kind in ('issue', 'redeem', 'payout', 'return')),
  position smallint not null,
  chain text,
  currency text not null,
  account text,
  amount bigint not null check (amount > 0),
  -- who authorised it: a redemption is signed by the account's key or by its contract, the others by nobody
  signed_by text not null default 'nobody' check (signed_by in ('nobody', 'key', 'contract')),
  created_at timestamptz not null default now(),
  -- Null while the leg is open. `void`: the leg before it was refused, so it never happens.
  outcome text check (outcome in ('done', 'refused', 'void')),
  done_at timestamptz,
  token text,
  sequence bigint,
  transaction uuid references transactions,
  tx_hash text,
  block_number bigint,
  reason text,
  unique (order_id, kind),
  check ((outcome is null) = (done_at is null)),
  check (outcome <> 'done' or kind not in ('issue', 'redeem') or tx_hash is not null),
  constraint leg_history_signed_by_somebody check ((kind = 'redeem') = (signed_by <> 'nobody'))
);
comment on table leg_history is
  'The parts of orders that move money or tokens: each must happen exactly once. A row is written when a leg begins, and when it ends; `open_legs` has
  what is between.';
-- Finds the newest leg that ended on a chain. While Ponder's tables lack its outcome, they are incomplete.
create index leg_history_newest on leg_history (chain, block_number desc) where outcome = 'done' and block_number is not null;
-- One lookup tells whether any redemption of an account succeeded, however many there were.
create index leg_history_by_account on leg_history (chain, account, outcome, done_at) where signed_by = 'contract' and outcome in ('done', 'refused');
-- A give-back that the contract refused stays until an operator tries it again.
create index leg_history_not_given_back on leg_history (id) where kind = 'issue' and position > 0 and outcome = 'refused';
create unique index leg_history_sequence on leg_history (chain, token, sequence) where sequence is not null;
create index leg_history_transaction on leg_history (transaction) where transaction is not null;
create index leg_history_tx_hash on leg_history (tx_hash) where tx_hash is not null;

create table open_legs (
  id uuid primary key references leg_history,
  -- As in `leg_history`.
  order_id uuid not null,
  kind text not null check (kind in ('issue', 'redeem', 'payout', 'return')),
  position smallint not null,
  chain text,
  currency text not null,
  account text,
  amount bigint not null,
  signed_by text not null check (signed_by in ('nobody', 'key', 'contract')),
  created_at timestamptz not null,
  -- `waiting` for a signature or for the leg before it.
  state text not null check (state in ('waiting', 'ready', 'sent')),
  claimed_by text,
  token text,
  sequence bigint,
  transaction uuid references transactions,
  -- For a leg that is retried after a refusal: outcomes up to this block are those of the earlier attempt.
  after_block bigint,
  -- most legs of a batch that carries it, after a batch with it reverted; 0 before
  batch_limit integer not null default 0,
  -- batches of it alone that reverted for no known reason
  lone_reverts smallint not null default 0,
  -- It waits until then, because the gas budget of its profile is used up, or as dust, to share a transaction.
  held_until timestamptz,
  held_for text check (held_for in ('gas_budget', 'dust')),
  -- Since when it could be carried out: `created_at` includes the time for which it waited for the leg before it, or for a signature.
  due_at timestamptz not null default now(),
  -- What a lane may do with it: a lane claims what is `ready`; what reverted alone three times is `failing`, and looked into.
  claim_state text not null check (claim_state in ('waiting', 'ready', 'claimed', 'held', 'failing', 'sent')) generated always as (
    case when state <> 'ready' then state when claimed_by is not null then 'claimed' when held_until is not null then 'held'
      when lone_reverts >= 3 then 'failing' else 'ready' end) stored,
  -- Contract accounts take turns, so their legs are found by account; others, and retries, are one queue.
  turn text generated always as (case when signed_by = 'contract' and batch_limit = 0 then account else '' end) stored,
  check (state <> 'sent' or kind not in ('issue', 'redeem') or transaction is not null),
  -- What an operator has released keeps the reason, so that it is not held for it again.
  constraint open_legs_held_for_a_reason check (held_until is null or (held_for is not null and state = 'ready'))
);
comment on table open_legs is
  'The legs that have not ended, and all that a lane knows of them. Whoever ends a leg deletes its row, which only one can, and writes the outcome into
  `leg_history` in the same statement. The view `legs` shows both.';
create index open_legs_order on open_legs (order_id);
-- What a lane may claim, in the order in which it does; and by chain what is claimed, sent or failing.
create index open_legs_claim on open_legs (chain, claim_state, kind, signed_by, currency, batch_limit, turn, id);
-- By what an outcome finds the leg that it may carry out, of what is in flight or was: an issue by its number, which is on its token once; a redemption, which has
-- none, by its account.
create unique index open_legs_outcome on open_legs (chain, sequence, (case when sequence is null then account else token end)) where token is not null;
create index open_legs_transaction on open_legs (transaction) where transaction is not null;
-- The oldest of each network, kind and state, for status and the metrics; what is held by itself.
create index open_legs_due on open_legs (chain, kind, signed_by, state, due_at) where held_until is null;
-- What does not take its turn: held until a time, or reverted alone.
create index open_legs_apart on open_legs (chain, claim_state, held_for, currency, held_until) include (kind, due_at)
  where claim_state = 'held' or lone_reverts > 0;
select vacuum_early('open_legs');

-- The condition is that of the second part. It stands outside, because PostgreSQL looks a row of a part up by the index of its table only where parts have none.
create view legs as
  select * from (
    select id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, state, claimed_by, token, sequence, transaction,
      after_block, batch_limit, lone_reverts, held_until, held_for, due_at, null::text as tx_hash, null::bigint as block_number, null::text as reason,
      null::timestamptz as done_at
    from open_legs
    union all
    select id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, outcome, null, token, sequence, transaction,
      null, 0, 0::smallint, null, null, null, tx_hash, block_number, reason, done_at
    from leg_history
  ) l where state is not null;
comment on view legs is 'Every leg with its state: for whoever reads a leg without knowing whether it is open. Nobody writes it.';

create table leg_failures (
  id uuid primary key default uuidv7(),
  leg uuid not null references leg_history,
  -- `cancelled`: the transaction was refused for good, and its nonce is used up by a transfer to the signer itself. `number_used`: somebody else with an
  -- operator's key used up the leg's sequence number, and the leg is sent anew with another.
  outcome text not null check (outcome in ('reverted', 'lost', 'cancelled', 'refused', 'number_used')),
  transaction uuid references transactions,
  tx_hash text,
  block_number bigint,
  reason text,
  at timestamptz not null default now(),
  -- A transaction that carried one leg and reverted. The reason says what a replay of its call has shown, once there was one.
  alone boolean not null default false
);
comment on table leg_failures is 'How earlier attempts of a leg ended: its transaction reverted or was lost, or the token contract refused it.';
create index leg_failures_leg on leg_failures (leg);
create index leg_failures_unexplained on leg_failures (id) where outcome = 'reverted' and alone and reason is null;
-- A reorganisation that takes the block of a reverted transaction away changes what its legs' failures say.
create index leg_failures_transaction on leg_failures (transaction);
create index leg_failures_number_used on leg_failures (at) where outcome = 'number_used';
create index leg_failures_tx_hash on leg_failures (tx_hash) where tx_hash is not null;

create table redemption_sums (
  account text not null,
  chain text not null,
  currency text not null,
  side text not null check (side in ('placed', 'ended')),
  -- minor units
  amount bigint not null,
  primary key (account, chain, currency, side)
-- A row is replaced within its page, and no index changes.
) with (fillfactor = 50);
comment on table redemption_sums is
  'What a holder''s open redemptions come to, without reading them: a holder may have any number. Whoever places redemptions and whoever ends them
  write rows of their own, so that neither waits for the other: `placed` less `ended` is open.
  Derived from: open_legs, by triggers. Checked by: test/schema/derived-tables.db.test.ts.';

create table account_backoffs (
  chain text not null,
  account text not null,
  failures integer not null,
  until_block bigint,
  primary key (chain, account)
);
comment on table account_backoffs is
  'Contract accounts whose redemptions failed on chain: nothing signed by one is sent before the block. A lane sets it from its head.';
create index account_backoffs_beginning on account_backoffs (chain) where until_block is null;

create table gas_spending (
  chain text not null,
  profile uuid not null references profiles,
  day date not null,
  wei numeric(78) not null,
  primary key (chain, profile)
);
comment on table gas_spending is
  'What the orders of a profile that have a gas budget may have cost on a network, in wei of its gas currency, on the last day (UTC) on which any was sent.';

create table signer_amounts (
  chain text not null,
  signer text not null,
  resource text not null,
  day date not null,
  amount numeric(78) not null,
  used numeric(78) not null,
  primary key (chain, signer, resource, day)
);
comment on table signer_amounts is
  'What a signer had left of a resource at the end of a day of UTC, and how much of it the day has used: wei of the gas money (`gas`), or token units of
  the mint allowance of a currency (`eur`). Days of the last month, as the nodes said it.';

create table token_sequences (
  chain text not null,
  token text not null,
  next bigint not null default 0,
  primary key (chain, token)
);
comment on table token_sequences is 'The next sequence number of each token. The numbers have no gaps; the token contract issues once for each.';

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
comment on table token_openings is
  'Tokens that were in circulation before this ledger issued them, such as those of a live network on its fork. The book counts their supply as an
  opening: it is no money that this ledger received.';

create table networks (
  chain text primary key,
  chain_id bigint not null,
  genesis_hash text not null,
  seen_at timestamptz not null default now()
);
comment on table networks is 'The instance of each chain that this ledger is used with, by its genesis block.';

create table heartbeats (
  component text not null,
  chain text not null default '',
  facts jsonb not null,
  seen_at timestamptz not null default now(),
  -- Two workers of one network, of which one is a hot spare, each have a row.
  instance text not null default '',
  -- Of the program: a migration that takes away what it uses does not run beside it.
  version text not null,
  primary key (component, chain, instance)
);
comment on table heartbeats is 'The last observations of each running worker, by which a process without RPC access judges the state of the service.';

create table index_owners (
  -- That of Ponder's tables.
  tables_schema text primary key,
  -- The run of an indexer that may write them: its connections have this name, and no other run can connect.
  run uuid not null,
  -- The run before, of which connections may be left.
  run_before uuid,
  seen_at timestamptz not null default now()
);
comment on table index_owners is 'Which run of an indexer writes an index. One that was frozen or cut off while another took over cannot write when it comes back.';

create table index_rebuilds (
  chain text primary key,
  -- The indexed tables that are rebuilt, by the name that they had at first; a number follows it in the name of a rebuilt schema.
  index_name text not null,
  number integer not null default 1,
  -- What is wrong with the tables before, for the operator.
  damage text not null,
  -- Whether balances cannot be trusted until the rebuilt tables take their place.
  holds_balances boolean not null,
  -- Rebuilds in a row, each within an hour after the one before: the pause before the next grows with them.
  in_a_row integer not null default 1,
  found_at timestamptz not null default now(),
  ended_at timestamptz
);
comment on table index_rebuilds is 'The newest rebuild of each damaged index: beside the tables that are read meanwhile, until it takes their place.';

-- In one order, so that two transactions never wait for each other's rows.
create function sum_placed_redemptions() returns trigger language plpgsql as $$
begin
  insert into redemption_sums as s (account, chain, currency, side, amount)
  select account, chain, currency, 'placed', sum(amount) from placed where kind = 'redeem' group by 1, 2, 3 order by 1, 2, 3
  on conflict (account, chain, currency, side) do update set amount = s.amount + excluded.amount;
  return null;
end $$;

create function sum_ended_redemptions() returns trigger language plpgsql as $$
begin
  insert into redemption_sums as s (account, chain, currency, side, amount)
  select account, chain, currency, 'ended', sum(amount) from ended where kind = 'redeem' group by 1, 2, 3 order by 1, 2, 3
  on conflict (account, chain, currency, side) do update set amount = s.amount + excluded.amount;
  return null;
end $$;

create trigger sum_placed_redemptions after insert on open_legs referencing new table as placed
  for each statement execute function sum_placed_redemptions();
create trigger sum_ended_redemptions after delete on open_legs referencing old table as ended
  for each statement execute function sum_ended_redemptions();
