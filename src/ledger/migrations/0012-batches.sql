-- Which legs travel in one batch, what reverts have shown of them, which accounts wait, and what the redemptions of a profile cost in gas.

alter table legs
  -- who authorised it: a redemption is signed by the account's key or by its contract, the others by nobody
  add column signed_by text not null default 'nobody' check (signed_by in ('nobody', 'key', 'contract')),
  -- most legs of a batch that carries it, after a batch with it reverted; 0 before
  add column batch_limit integer not null default 0,
  -- batches of it alone that reverted for no known reason
  add column lone_reverts smallint not null default 0,
  -- the gas budget of its profile is used up until then
  add column held_until timestamptz;
update legs l set signed_by = case when exists (select from signature_requests s where s.order_id = l.order_id) then 'contract' else 'key' end
where kind = 'redeem';
alter table legs add constraint legs_signed_by_somebody check ((kind = 'redeem') = (signed_by <> 'nobody'));

-- What a lane may claim, in the order in which it does. Contract accounts take turns, so their legs are found by account.
create index legs_claimable on legs (chain, kind, signed_by, currency, batch_limit, id)
  where state = 'ready' and claimed_by is null and held_until is null and lone_reverts < 3;
create index legs_claimable_by_account on legs (chain, currency, account, id)
  where state = 'ready' and claimed_by is null and held_until is null and lone_reverts < 3 and signed_by = 'contract' and batch_limit = 0;
create index legs_claimed on legs (chain, claimed_by) where state = 'ready' and claimed_by is not null;
create index legs_held on legs (chain, held_until) where state = 'ready' and held_until is not null;
create index legs_failing on legs (chain, lone_reverts, id) where state in ('ready', 'sent') and lone_reverts > 0;

-- A transaction that carried one leg and reverted. The reason says what a replay of its call has shown, once there was one.
alter table leg_failures add column alone boolean not null default false;
create index leg_failures_unexplained on leg_failures (id) where outcome = 'reverted' and alone and reason is null;

-- A contract account whose redemptions failed on chain: nothing signed by it is sent before the block. A lane sets it from its head.
create table account_backoffs (
  chain text not null,
  account text not null,
  failures integer not null,
  until_block bigint,
  primary key (chain, account)
);
create index account_backoffs_beginning on account_backoffs (chain) where until_block is null;

-- The gas that was set aside for the redemptions of a profile on the last day (UTC) on which it had any sent.
create table profile_gas (
  chain text not null,
  profile uuid not null references profiles,
  day date not null,
  gas bigint not null,
  primary key (chain, profile)
);
