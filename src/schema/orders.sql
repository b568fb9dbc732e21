-- Orders, and the signatures that redemptions wait for. Amounts are minor units: hundredths of the currency.

-- The first 16 bytes of a hash as a UUID of a version (RFC 9562, section 5.8 and appendix B.2). The hash is named once: so PostgreSQL takes the expression for a
-- call, which is a quarter of its cost.
create function uuid_of_hash(hash bytea, version integer) returns uuid language sql immutable strict parallel safe
  return encode(substring(
    set_bit(set_bit(set_bit(set_bit(set_bit(set_bit(hash, 70, 0), 71, 1),
      52, version & 1), 53, version >> 1 & 1), 54, version >> 2 & 1), 55, version >> 3 & 1) for 16), 'hex')::uuid;

-- The id of a payment, a UUIDv8 of a name. What is made of the same facts has the same id in every ledger, also in one that was restored from an earlier
-- back-up (docs/restore.md, Derived ids).
create function derived_payment_id(name text) returns uuid language sql immutable strict parallel safe
  return uuid_of_hash(sha256(convert_to(name, 'UTF8')), 8);

create table order_id_secret (
  secret bytea primary key default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) check (length(secret) = 32)
);
comment on table order_id_secret is
  'The secret that ids of orders are derived with: one row, made with the schema and never changed. It is in every back-up, so a restored ledger derives the same ids.';
insert into order_id_secret default values;

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
  supporting_document uuid references files,
  tx_hashes text[] not null default '{}',
  correlation_id text,
  -- One signed message authorises one order of an address.
  digest text,
  -- The issue order that carries out a redemption to another chain.
  source_order uuid references orders,
  -- SHA-256 of the request that placed it under an id that the client chose. The same request again is a retry, another one a conflict.
  request_hash bytea,
  -- The order whose payout came back: this order gives its tokens back.
  gives_back uuid references orders,
  -- A trigger sets it.
  rejected_at timestamptz,
  -- Since when, why, and until when a leg of it was held last, or of the order that carries it out on another chain. Nothing holds it without `held_until`.
  held_since timestamptz,
  held_for text check (held_for in ('gas_budget', 'dust')),
  held_until timestamptz,
  check ((state = 'processed') = (processed_at is not null)),
  check ((state = 'rejected') = (rejected_reason is not null))
-- Room for a copy of each row: a transaction changes all the orders of a page at once.
) with (fillfactor = 50);
comment on table orders is 'Money that becomes tokens (`issue`), or tokens that become money (`redeem`). Its legs carry it out.';
create index orders_profile on orders (profile, placed_at desc, id desc);
create unique index orders_message on orders (address, digest) where kind = 'redeem';
create index orders_gives_back on orders (gives_back) where gives_back is not null;
-- Orders as an operator lists them.
create index orders_placed on orders (placed_at, id);
create unique index orders_source_order on orders (source_order) where source_order is not null;
-- Orders of a profile with a memo. A hash, because a memo is longer than what an index should hold.
create index orders_memo on orders (profile, hashtextextended(memo, 0), placed_at desc, id desc);
-- Orders of an address, by the few profiles that it has belonged to. Whoever asks for the orders of a profile may name any address, also one with very many orders
-- of another profile: an index by one of both would read all of them.
create index orders_address on orders (address, profile, placed_at desc, id desc);
-- Orders that an operator looks for, by the account of the payer or payee, by the amount and by the memo, the latest first. The texts are hashed: they are longer
-- than what an index should hold.
create index orders_counterpart_iban on orders (hashtextextended(counterpart -> 'identifier' ->> 'iban', 0), placed_at desc, id desc)
  where counterpart -> 'identifier' ->> 'iban' is not null;
create index orders_amount on orders (amount, placed_at desc, id desc);
create index orders_memo_of_all on orders (hashtextextended(lower(memo), 0), placed_at desc, id desc) where memo <> '';
-- A rejected order does not change again. Its hash is found by its legs, whose index has one entry for all legs of a transaction.
create index orders_rejected on orders (placed_at, id) where rejected_at is not null;
create index orders_rejected_of_profile on orders (profile, placed_at desc, id desc) where rejected_at is not null;
select vacuum_early('orders');

create table open_orders (
  id uuid primary key,
  profile uuid not null,
  state text not null check (state in ('placed', 'pending')),
  placed_at timestamptz not null,
  -- A merchant's are looked through for that of one address.
  address text not null,
  -- carries out the payout of another order
  is_dependent boolean not null
);
comment on table open_orders is
  'Orders that are placed or pending. No index of `orders` has the state: so a change of an order''s state touches no index, with room in its page.
  Derived from: orders, by triggers. Checked by: test/schema/derived-tables.db.test.ts.';
create index open_orders_of_state on open_orders (state, placed_at, id);
create index open_orders_of_profile on open_orders (profile, state, placed_at desc, id desc);
create index open_orders_dependent on open_orders (id) where is_dependent;
select vacuum_early('open_orders');

create table signature_requests (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('order', 'linkAddress')),
  profile uuid not null references profiles,
  chain text not null,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  digest text not null,
  -- `0x` when the account signs on chain
  signature text not null,
  -- The order or the link that a valid one creates.
  draft jsonb not null,
  -- the order, once it is placed
  order_id uuid unique references orders,
  state text not null default 'pending' check (state in ('pending', 'valid', 'invalid', 'expired')),
  reason text,
  correlation_id text,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  -- When a signature on chain is looked for again.
  check_at timestamptz not null default now(),
  -- since when it is known to be valid and not recorded, because several profiles wait for it
  contested_since timestamptz,
  -- What clients know the request by: an order's id is that of the order.
  public_id uuid generated always as (case when kind = 'order' then (draft ->> 'id')::uuid else id end) stored,
  check ((state = 'pending') = (decided_at is null))
);
comment on table signature_requests is 'Signatures of contract accounts, which are checked on their chain.';
create index signature_requests_profile on signature_requests (profile, id) where state = 'pending';
create unique index signature_requests_message on signature_requests (address, digest) where kind = 'order' and state = 'pending' and order_id is null;
create index signature_requests_pending on signature_requests (chain, check_at) where state = 'pending';
create index signature_requests_account on signature_requests (address, chain) where state = 'pending';
-- Links that came to nothing, which their profile is told. Not sign-ins, which anybody may send by the thousand.
create index signature_requests_ended on signature_requests (profile, decided_at)
  where kind = 'linkAddress' and state in ('invalid', 'expired') and draft ->> 'signsIn' is null;

-- What an event says of an order: the keys below, whatever the columns are called. The columns are bound when the function is made,
-- so renaming one changes nothing here. `amount` is minor units as text, which a JavaScript number could not hold; times are RFC 3339.
-- A signature and the message it signs are in no event.
create function order_event_data(o orders) returns jsonb language sql stable
begin atomic
  select jsonb_build_object(
    'id', o.id, 'kind', o.kind, 'profile', o.profile, 'address', o.address, 'chain', o.chain, 'currency', o.currency,
    'amount', o.amount::text, 'counterpart', o.counterpart, 'memo', o.memo, 'referenceNumber', o.reference_number, 'state', o.state,
    'placedAt', o.placed_at, 'processedAt', o.processed_at, 'rejectedReason', o.rejected_reason,
    'supportingDocument', o.supporting_document, 'txHashes', o.tx_hashes, 'givesBack', o.gives_back,
    'heldFor', o.held_for, 'heldUntil', o.held_until);
end;

-- Every order announces its own changes: no statement that moves an order has to remember its event. These are the only writers of order events, the first two
-- for all orders of a statement.
create function announce_placed_orders() returns trigger language plpgsql as $$
begin
  insert into events (type, profile, subject, data, correlation_id)
  select 'order.created', o.profile, o.id, order_event_data(o), o.correlation_id from placed_orders o;
  return null;
end $$;

-- A connection keeps the plan of a trigger. A join of the orders before and after, planned for a statement that changed one order, was a nested loop for
-- thousands, too. Without a join, the orders that had ended before are hashed, whatever the plan was made for.
create function announce_ended_orders() returns trigger language plpgsql as $$
begin
  -- Most statements that change orders end none, and need not be compared with what was before.
  if not exists (select from changed_orders where state in ('processed', 'rejected')) then
    return null;
  end if;
  insert into events (type, profile, subject, data, correlation_id)
  select 'order.updated', o.profile, o.id, order_event_data(o), o.correlation_id
  from changed_orders o
  where o.state in ('processed', 'rejected')
    and (o.id, o.state) not in (select b.id, b.state from orders_before b where b.state in ('processed', 'rejected'));
  return null;
end $$;

-- Only readers of the order stream get it (docs/api.md, Order stream).
create function announce_held_order() returns trigger language plpgsql as $$
begin
  insert into events (type, profile, subject, data, correlation_id)
  values ('order.held', new.profile, new.id, order_event_data(new), new.correlation_id);
  return null;
end $$;

create function end_hold() returns trigger language plpgsql as $$
begin
  new.held_until := null;
  return new;
end $$;

create function set_rejected_at() returns trigger language plpgsql as $$
begin
  new.rejected_at := now();
  return new;
end $$;

create function use_supporting_document() returns trigger language plpgsql as $$
begin
  perform use_files(array[new.supporting_document]);
  return null;
end $$;

create function add_open_orders() returns trigger language plpgsql as $$
begin
  insert into open_orders (id, profile, state, placed_at, address, is_dependent)
  select id, profile, state, placed_at, address, source_order is not null from placed_orders where state in ('placed', 'pending');
  return null;
end $$;

-- The table may be empty when the plan is made, which a connection keeps.
create function follow_open_orders() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from open_orders where id = any(array(select id from changed_orders where state in ('processed', 'rejected')));
  update open_orders set state = 'pending' where id = any(array(select id from changed_orders where state = 'pending')) and state = 'placed';
  return null;
end $$;

-- Of a ledger that was restored: the holder of an order that waits had chosen another address.
create function redirect_open_order() returns trigger language plpgsql as $$
begin
  update open_orders set address = new.address where id = new.id;
  return null;
end $$;

create trigger use_file after insert on orders for each row when (new.supporting_document is not null) execute function use_supporting_document();
create trigger set_rejected_at before update on orders for each row when (new.state = 'rejected' and old.state <> 'rejected')
  execute function set_rejected_at();
create trigger announce_placed after insert on orders referencing new table as placed_orders
  for each statement execute function announce_placed_orders();
create trigger announce_ended after update on orders referencing old table as orders_before new table as changed_orders
  for each statement execute function announce_ended_orders();
create trigger announce_held after update of held_until on orders for each row
  when (new.held_until is not null and new.held_until is distinct from old.held_until) execute function announce_held_order();
create trigger end_hold before update on orders for each row when (new.held_until is not null and new.state in ('processed', 'rejected'))
  execute function end_hold();
create trigger add_open after insert on orders referencing new table as placed_orders for each statement execute function add_open_orders();
create trigger follow_open after update on orders referencing new table as changed_orders for each statement execute function follow_open_orders();
create trigger redirect_open after update of address on orders for each row when (new.address <> old.address) execute function redirect_open_order();
